#include "cli/devices_verb.hpp"

#include "base/quantities.hpp"
#include "cli/output.hpp"
#include "profile/usable.hpp"

#include <antiphon/device_profile.hpp>
#include <antiphon/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(A profile says what a graph can be held against, also on a machine without the device:
  antiphon devices --json > here.json
  antiphon check --device here.json blur.yaml

Exit codes: 0; 2 where there is no device of that name, or the call is wrong.)";

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string kind_text(DeviceProfile::Kind kind) {
  switch (kind) {
    case DeviceProfile::Kind::discrete:
      return "discrete";
    case DeviceProfile::Kind::integrated:
      return "integrated";
    case DeviceProfile::Kind::virtual_gpu:
      return "virtual";
    case DeviceProfile::Kind::software:
      return "software";
    case DeviceProfile::Kind::other:
      break;
  }
  return "of another kind";
}

std::string heap_text(const DeviceProfile::Heap& heap) {
  return fmt::format("{} {}", bytes_text(static_cast<std::int64_t>(heap.bytes)),
                     heap.device_local && heap.host_visible ? "of the device, which the host sees"
                     : heap.device_local                    ? "of the device"
                                                            : "of the host");
}

std::string family_text(const DeviceProfile::QueueFamily& family) {
  std::string can;
  const auto add = [&](bool holds, const char* word) {
    if (holds) can += fmt::format("{}{}", can.empty() ? "" : ", ", word);
  };
  add(family.compute, "compute");
  add(family.transfer, "transfer");
  add(family.graphics, "graphics");
  return fmt::format("{} for {}", family.queues, can.empty() ? "nothing of use here" : can);
}

std::string text_of(const DeviceProfile& p) {
  auto text = fmt::format("{}\n  {}, Vulkan {}{}{}\n", p.name, kind_text(p.kind), p.vulkan,
                          p.driver.empty() ? "" : ", driver ", p.driver);
  if (const auto lack = profile::lack(p); !lack.empty()) {
    text += fmt::format("  cannot be used: it {}\n", lack);
  }
  const auto list = [&](const char* what, const auto& things, auto&& text_of_one) {
    for (std::size_t i = 0; i < things.size(); ++i) {
      text += fmt::format("  {:10}{}\n", i == 0 ? what : "", text_of_one(things[i]));
    }
  };
  list("memory", p.heaps, heap_text);
  list("queues", p.queue_families, family_text);
  const auto& size = p.max_workgroup_size;
  text +=
      fmt::format("  {:10}{} invocations, {} x {} x {} at most, {} of shared memory, {} ports\n",
                  "kernels", p.max_workgroup_invocations, size[0], size[1], size[2],
                  bytes_text(p.max_shared_memory), p.max_bindings);
  std::string features;
  for (const auto& feature : p.features) features += (features.empty() ? "" : ", ") + feature;
  if (!features.empty()) text += fmt::format("  {:10}{}\n", "features", features);
  return text;
}

}  // namespace

DevicesVerb::DevicesVerb(CLI::App& app)
    : verb_(*app.add_subcommand("devices", "Say what the Vulkan devices here are, and can do")) {
  verb_.add_option("NAME", name_, "Only those with this in their names, in any case");
  verb_.add_flag("--json", json_,
                 "As a profile, which check --device reads; several devices are an array");
  verb_.footer(std::string(footer));
}

ExitCode DevicesVerb::run() {
  std::vector<DeviceProfile> all;
  try {
    all = device_profiles();
  } catch (const Error& error) {
    std::fprintf(stderr, "antiphon devices: %s\n", error.what());
    return wrong_call;
  }
  std::vector<DeviceProfile> chosen;
  std::string names;
  for (auto& device : all) {
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", device.name);
    if (lower(device.name).find(lower(name_)) != std::string::npos) chosen.push_back(device);
  }
  if (chosen.empty()) {
    const auto why = all.empty() ? std::string("no driver has a device here")
                                 : fmt::format("no device here has '{}' in its name; there are: {}",
                                               name_, names);
    std::fprintf(stderr, "antiphon devices: %s\n", why.c_str());
    return wrong_call;
  }
  Output output("devices", json_, chosen.size());
  for (const auto& device : chosen) {
    output.part(json_ ? write_device_profile(device) : text_of(device));
  }
  return output.finish(all_valid);
}

}  // namespace antiphon::cli
