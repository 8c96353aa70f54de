// The same graph run in sequence and overlapped, side by side: for people, and as JSON.
#pragma once

#include <antiphon/runtime.hpp>

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace samples {

struct Take {
  std::int64_t items = 0;  // frames, say
  std::chrono::nanoseconds elapsed{
      0};  // all that belongs to it, also what came after the graph's run
  antiphon::RunReport report;

  double per_second() const;
  // Milliseconds of work on one side, per item.
  double cost_ms(antiphon::Side side) const;
  // 0 to 1 for the GPU; up to the number of workers for the CPU.
  double busy_share(antiphon::Side side) const;
};

struct Comparison {
  Take sequential;
  Take overlapped;

  double ratio() const { return overlapped.per_second() / sequential.per_second(); }
};

// A table of three lines; `unit` is what the items are called.
std::string to_text(const Comparison& comparison, std::string_view unit);
nlohmann::json to_json(const Comparison& comparison);

}  // namespace samples
