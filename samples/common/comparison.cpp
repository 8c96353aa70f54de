#include "comparison.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace samples {

namespace {

using Seconds = std::chrono::duration<double>;

Seconds busy(const antiphon::RunReport& report, antiphon::Side side) {
  Seconds sum{0};
  for (const auto& actor : report.actors) {
    if (actor.side == side) sum += actor.busy;
  }
  return sum;
}

}  // namespace

double Take::per_second() const {
  return static_cast<double>(items) / Seconds(elapsed).count();
}

double Take::cost_ms(antiphon::Side side) const {
  return items == 0 ? 0 : busy(report, side).count() * 1e3 / static_cast<double>(items);
}

double Take::busy_share(antiphon::Side side) const {
  return busy(report, side) / Seconds(elapsed);
}

std::string to_text(const Comparison& comparison, std::string_view unit) {
  const Take& sequential = comparison.sequential;
  const Take& overlapped = comparison.overlapped;
  const auto shares = [&](std::string_view name, antiphon::Side side) {
    return fmt::format("{:<14}{:>11.0f} %{:>11.0f} %   {:.2f} ms each, in sequence\n", name,
                       100 * sequential.busy_share(side), 100 * overlapped.busy_share(side),
                       sequential.cost_ms(side));
  };
  return fmt::format("{:<14}{:>13}{:>13}\n", "", "sequential", "overlapped") +
         fmt::format("{:<14}{:>13.1f}{:>13.1f}   {:.2f} x\n", fmt::format("{}/s", unit),
                     sequential.per_second(), overlapped.per_second(), comparison.ratio()) +
         shares("CPU busy", antiphon::Side::cpu) + shares("GPU busy", antiphon::Side::gpu);
}

nlohmann::json to_json(const Comparison& comparison) {
  const Take& sequential = comparison.sequential;
  const Take& overlapped = comparison.overlapped;
  const auto sides = [](auto value) {
    return nlohmann::json{{"cpu", value(antiphon::Side::cpu)}, {"gpu", value(antiphon::Side::gpu)}};
  };
  return {
      {"sequential_per_s", sequential.per_second()},
      {"overlapped_per_s", overlapped.per_second()},
      {"ratio", comparison.ratio()},
      {"sequential_busy", sides([&](auto side) { return sequential.busy_share(side); })},
      {"overlapped_busy", sides([&](auto side) { return overlapped.busy_share(side); })},
      {"cost_ms", sides([&](auto side) { return sequential.cost_ms(side); })},
  };
}

}  // namespace samples
