#include "base/quantities.hpp"

#include <fmt/format.h>

#include <utility>

namespace antiphon {

std::string time_text(double value, bool nanoseconds) {
  if (!nanoseconds) return fmt::format("{:.6g}", value);
  for (const auto& [unit, scale] :
       {std::pair{"s", 1e9}, std::pair{"ms", 1e6}, std::pair{"us", 1e3}}) {
    if (value >= scale) return fmt::format("{:.4g} {}", value / scale, unit);
  }
  return fmt::format("{:.4g} ns", value);
}

std::string rate_text(double period, bool nanoseconds) {
  if (period == 0) return "without limit";
  return nanoseconds ? fmt::format("{:.6g}/s", 1e9 / period) : fmt::format("{:.6g}", 1 / period);
}

std::string bytes_text(std::int64_t bytes) {
  for (const auto& [unit, scale] :
       {std::pair{"GiB", 30}, std::pair{"MiB", 20}, std::pair{"KiB", 10}}) {
    const auto size = static_cast<double>(std::int64_t{1} << scale);
    if (static_cast<double>(bytes) >= size) {
      return fmt::format("{:.4g} {}", static_cast<double>(bytes) / size, unit);
    }
  }
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

}  // namespace antiphon
