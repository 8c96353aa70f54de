#include "io/drawing.hpp"

#include "io/write_text.hpp"

#include <fmt/format.h>

#include <vector>

namespace antiphon::io {

namespace {

std::string short_runs(std::span<const PhaseRun> runs, bool times) {
  constexpr std::size_t most_runs = 6;
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == most_runs) return text + ",…";
    if (i > 0) text += ',';
    if (runs[i].count != 1) text += fmt::format("{}*", runs[i].count);
    text += times ? time_text(runs[i].value) : fmt::format("{}", runs[i].value);
  }
  return text;
}

}  // namespace

std::string short_phases(const PhaseSequence& phases, bool times) {
  const auto initial = phases.initial_runs();
  if (initial.empty() && phases.is_constant()) {
    return short_runs(std::array{PhaseRun{1, phases.max()}}, times);
  }
  return (initial.empty() ? "" : short_runs(initial, times) + ";") +
         short_runs(phases.periodic_runs(), times);
}

std::string port_label(std::string_view name, const PhaseSequence& rate) {
  const auto text = short_phases(rate, false);
  return text == "1" ? std::string(name) : fmt::format("{} {}", name, text);
}

Blamed::Blamed(const Report& report) {
  for (const auto& d : report.diagnostics) {
    if (d.severity != Severity::error) continue;
    for (const auto& mark : d.marks) subjects_.insert(mark.subject);
  }
}

bool Blamed::actor(std::string_view name) const {
  return subjects_.contains(fmt::format("actor {}", name));
}

bool Blamed::channel(std::string_view name) const {
  return subjects_.contains(name) || subjects_.contains(fmt::format("channel {}", name));
}

}  // namespace antiphon::io
