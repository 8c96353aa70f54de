// The file of a profile: one table for each object of it says which keys there are, and both
// reading and writing go by it.
#include "base/read_file.hpp"
#include "base/result.hpp"

#include <antiphon/device_profile.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>

namespace antiphon {

namespace {

using Json = nlohmann::ordered_json;
using Kind = DeviceProfile::Kind;

constexpr int format_version = 1;
constexpr std::size_t largest_file = std::size_t{16} << 20U;  // bytes

constexpr std::pair<Kind, const char*> kinds[] = {{Kind::discrete, "discrete"},
                                                  {Kind::integrated, "integrated"},
                                                  {Kind::virtual_gpu, "virtual"},
                                                  {Kind::software, "software"},
                                                  {Kind::other, "other"}};

// What is wrong, thrown from the depth of a file to its reader.
struct Fault {
  std::string what;
};

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Fault{path.empty() ? what : fmt::format("'{}' {}", path, what)};
}

// --- values, read and written by their types

void read(const Json& json, const std::string& path, std::string& value) {
  if (!json.is_string()) fail(path, "is no text");
  value = json.get<std::string>();
}

void read(const Json& json, const std::string& path, bool& value) {
  if (!json.is_boolean()) fail(path, "is neither true nor false");
  value = json.get<bool>();
}

template <typename Number>
requires std::is_unsigned_v<Number>
void read(const Json& json, const std::string& path, Number& value) {
  if (!json.is_number_unsigned()) fail(path, "is no whole number from 0 on");
  const auto number = json.get<std::uint64_t>();
  if (number > std::numeric_limits<Number>::max()) {
    fail(path,
         fmt::format("is {}, and {} is the most", number, std::numeric_limits<Number>::max()));
  }
  value = static_cast<Number>(number);
}

void read(const Json& json, const std::string& path, Kind& value) {
  std::string text;
  read(json, path, text);
  std::string names;
  for (const auto& [kind, name] : kinds) {
    if (text == name) {
      value = kind;
      return;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  fail(path, fmt::format("is '{}', which is none of {}", text, names));
}

void read(const Json& json, const std::string& path, std::array<std::uint32_t, 3>& value) {
  if (!json.is_array() || json.size() != value.size()) fail(path, "is no list of three numbers");
  for (std::size_t i = 0; i < value.size(); ++i) {
    read(json[i], fmt::format("{}[{}]", path, i), value[i]);
  }
}

void read(const Json& json, const std::string& path, DeviceProfile::Heap& value);
void read(const Json& json, const std::string& path, DeviceProfile::QueueFamily& value);

template <typename T>
void read(const Json& json, const std::string& path, std::vector<T>& value) {
  if (!json.is_array()) fail(path, "is no list");
  value.clear();
  for (std::size_t i = 0; i < json.size(); ++i) {
    read(json[i], fmt::format("{}[{}]", path, i), value.emplace_back());
  }
}

template <typename T>
Json written(const T& value) {
  return value;
}
Json written(const Kind& value) {
  const auto* const found = std::find_if(std::begin(kinds), std::end(kinds),
                                         [&](const auto& kind) { return kind.first == value; });
  return found->second;
}
Json written(const DeviceProfile::Heap& value);
Json written(const DeviceProfile::QueueFamily& value);
template <typename T>
Json written(const std::vector<T>& value) {
  Json list = Json::array();
  for (const auto& one : value) list.push_back(written(one));
  return list;
}

// --- objects: `visit` is called with each key and what it stands for

template <typename Visit>
void visit_members(auto& profile, Visit&& visit) {
  visit("name", profile.name);
  visit("driver", profile.driver);
  visit("kind", profile.kind);
  visit("vulkan", profile.vulkan);
  visit("storage_offset_alignment", profile.storage_offset_alignment);
  visit("max_storage_range", profile.max_storage_range);
  visit("max_allocation", profile.max_allocation);
  visit("max_workgroup_invocations", profile.max_workgroup_invocations);
  visit("max_workgroup_size", profile.max_workgroup_size);
  visit("max_group_count", profile.max_group_count);
  visit("max_shared_memory", profile.max_shared_memory);
  visit("max_bindings", profile.max_bindings);
  visit("heaps", profile.heaps);
  visit("queue_families", profile.queue_families);
  visit("features", profile.features);
  visit("subgroup_size", profile.subgroup_size);
  visit("subgroup_operations", profile.subgroup_operations);
}

template <typename Visit>
void visit_heap(auto& heap, Visit&& visit) {
  visit("bytes", heap.bytes);
  visit("device_local", heap.device_local);
  visit("host_visible", heap.host_visible);
}

template <typename Visit>
void visit_family(auto& family, Visit&& visit) {
  visit("queues", family.queues);
  visit("compute", family.compute);
  visit("transfer", family.transfer);
  visit("graphics", family.graphics);
  visit("timestamp_bits", family.timestamp_bits);
}

// Reads the members that `json` has; it may have no others but those in `besides` and x- keys.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) fail(path_, "is no object");
    for (const auto& [key, value] : json.items()) {
      if (!key.starts_with("x-")) unknown_.insert(key);
    }
  }

  template <typename T>
  void operator()(const char* key, T& value) {
    unknown_.erase(key);
    const auto found = json_.find(key);
    if (found != json_.end()) read(*found, path_to(key), value);
  }
  void finish() const {
    if (!unknown_.empty()) {
      fail(path_to(*unknown_.begin()), "is no key of a profile (keys that begin with x- are free)");
    }
  }

 private:
  std::string path_to(const std::string& key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  const Json& json_;
  std::string path_;
  std::set<std::string> unknown_;
};

class ObjectWriter {
 public:
  template <typename T>
  void operator()(const char* key, const T& value) {
    json[key] = written(value);
  }
  Json json = Json::object();
};

void read(const Json& json, const std::string& path, DeviceProfile::Heap& value) {
  ObjectReader reader(json, path);
  visit_heap(value, reader);
  reader.finish();
}
void read(const Json& json, const std::string& path, DeviceProfile::QueueFamily& value) {
  ObjectReader reader(json, path);
  visit_family(value, reader);
  reader.finish();
}
Json written(const DeviceProfile::Heap& value) {
  ObjectWriter writer;
  visit_heap(value, writer);
  return writer.json;
}
Json written(const DeviceProfile::QueueFamily& value) {
  ObjectWriter writer;
  visit_family(value, writer);
  return writer.json;
}

DeviceProfile read_profile(const Json& json) {
  ObjectReader reader(json, "");
  int format = 0;
  std::uint32_t said = 0;
  reader("format", said);
  format = static_cast<int>(std::min(said, std::uint32_t{1000}));
  if (format != format_version) {
    fail("", format == 0 ? fmt::format("it has no format: add \"format\": {}", format_version)
                         : fmt::format("it is of format {}, and {} is the one that is known here",
                                       said, format_version));
  }
  DeviceProfile profile;
  visit_members(profile, reader);
  reader.finish();
  if (profile.name.empty()) fail("name", "is missing: a device has a name");
  const auto alignment = profile.storage_offset_alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    fail("storage_offset_alignment", "is no power of two");
  }
  return profile;
}

// The text as JSON in which no object has a key twice.
Json parse(std::string_view text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key) {
      auto key = parsed.get<std::string>();
      if (!keys.back().insert(key).second && twice.empty()) twice = std::move(key);
    }
    return true;
  };
  try {
    auto json = Json::parse(text, watch);
    if (!twice.empty()) fail(twice, "stands twice in one object");
    return json;
  } catch (const Json::exception& error) {  // a parse error, or a number out of all range
    // What comes first is the library's own number of the error.
    std::string_view what = error.what();
    if (const auto end = what.find("] "); end != std::string_view::npos)
      what.remove_prefix(end + 2);
    constexpr std::string_view kind = "parse error ";
    if (what.starts_with(kind)) what.remove_prefix(kind.size());
    throw Fault{"it is no JSON: " + std::string(what)};
  }
}

DeviceProfile parse_one(std::string_view text) {
  const auto json = parse(text);
  if (!json.is_array()) return read_profile(json);
  if (json.size() == 1) return read_profile(json[0]);
  std::string names;
  for (const auto& device : json) {
    if (!device.is_object() || !device.contains("name") || !device["name"].is_string()) continue;
    names += fmt::format("{} '{}'", names.empty() ? ":" : ",", device["name"].get<std::string>());
  }
  throw Fault{fmt::format("it describes {} devices{}; give it one of them", json.size(), names)};
}

}  // namespace

DeviceProfile parse_device_profile(std::string_view text, const std::string& name) {
  try {
    if (text.size() > largest_file) throw Fault{"it has more than 16 MiB"};
    return parse_one(text);
  } catch (const Fault& fault) {
    throw Error(ErrorKind::unreadable,
                fmt::format("'{}' is no profile of a device: {}", name, fault.what));
  }
}

DeviceProfile load_device_profile(const std::filesystem::path& file) {
  const auto text = read_file(file.string(), "device profile", largest_file).value_or_throw();
  return parse_device_profile(text, file.string());
}

std::string write_device_profile(const DeviceProfile& profile) {
  ObjectWriter writer;
  writer("format", format_version);
  visit_members(profile, writer);
  // Names come from drivers: what is not UTF-8 is replaced.
  return writer.json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace antiphon
