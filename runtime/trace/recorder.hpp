// What ran when, and a file that chrome://tracing and Perfetto open.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace antiphon::trace {

// One firing.
struct Event {
  std::uint32_t lane = 0;
  std::int64_t firing = 0;
  std::int64_t begin_ns = 0;  // on the steady clock
  std::int64_t end_ns = 0;
};

struct Lane {
  std::string name;  // the actor's
  bool device = false;
};

// Each writer adds to a list of its own, so nobody waits; all have stopped when it is written.
class Recorder {
 public:
  explicit Recorder(std::size_t writers) : lists_(writers) {}

  // One thread at a time for each writer.
  void add(std::size_t writer, const Event& event) { lists_[writer].events.push_back(event); }

  // Whether `write` to this file could succeed, asked before a run that would be lost on a wrong
  // path.
  static Status writable(const std::filesystem::path& file);

  // Chrome's JSON trace format, a lane per actor, times in µs from `origin_ns`. Nothing is left at
  // `file` when writing fails.
  Status write(const std::filesystem::path& file, const std::vector<Lane>& lanes,
               const std::string& title, std::int64_t origin_ns) const;

 private:
  struct alignas(64) List {
    std::vector<Event> events;
  };
  std::vector<List> lists_;
};

}  // namespace antiphon::trace
