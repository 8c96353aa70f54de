#include "trace/recorder.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>

namespace antiphon::trace {

namespace {

// A name as a JSON string; bytes that are no UTF-8 are replaced, not refused.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Where a link leads.
std::filesystem::path followed(const std::filesystem::path& file) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(file, error);
  return error || whole.empty() ? file : whole;
}

// Beside the target first, so that a full disk leaves no half of a trace under its name. What is
// there and is no regular file (/dev/stdout, a pipe) is written as it is.
std::filesystem::path partial_of(std::filesystem::path file) {
  std::error_code error;
  file = followed(file);
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return file;
  static std::atomic<unsigned> next{0};
  return file += ".part-" + std::to_string(getpid()) + "-" + std::to_string(next++);
}

Failure cannot_write(const std::filesystem::path& file) {
  return {ErrorKind::unwritable, "can't write the trace to '" + file.string() + "'"};
}

}  // namespace

Status Recorder::writable(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) return cannot_write(file);
  const auto partial = partial_of(file);
  if (!std::ofstream(partial, std::ios::app)) return cannot_write(file);
  if (partial != followed(file)) std::filesystem::remove(partial, error);
  return {};
}

Status Recorder::write(const std::filesystem::path& file, const std::vector<Lane>& lanes,
                       const std::string& title, std::int64_t origin_ns) const {
  const auto target = followed(file);
  const auto partial = partial_of(file);
  std::ofstream out(partial, std::ios::trunc);
  if (!out) return cannot_write(file);

  out << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  out << R"({"ph":"M","pid":1,"name":"process_name","args":{"name":)" << quoted(title) << "}}";
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    out << ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" << i + 1
        << R"(,"name":"thread_name","args":{"name":)"
        << quoted(lanes[i].name + (lanes[i].device ? " (gpu)" : " (cpu)")) << "}}";
    out << ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":" << i + 1
        << R"(,"name":"thread_sort_index","args":{"sort_index":)" << i << "}}";
  }
  std::vector<std::string> names;
  names.reserve(lanes.size());
  for (const auto& lane : lanes) names.push_back(quoted(lane.name));
  char times[96];
  for (const auto& list : lists_) {
    for (const auto& event : list.events) {
      std::snprintf(
          times, sizeof times, "\"ts\":%.3f,\"dur\":%.3f",
          static_cast<double>(event.begin_ns - origin_ns) / 1e3,
          static_cast<double>(std::max<std::int64_t>(event.end_ns - event.begin_ns, 0)) / 1e3);
      out << ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":" << event.lane + 1
          << ",\"name\":" << names[event.lane] << "," << times
          << ",\"args\":{\"firing\":" << event.firing << "}}";
    }
  }
  out << "\n]}\n";
  out.close();
  std::error_code error;
  if (out && partial != target) std::filesystem::rename(partial, target, error);
  if (!out || error) {
    if (partial != target) std::filesystem::remove(partial, error);
    return cannot_write(file);
  }
  return {};
}

}  // namespace antiphon::trace
