// How fast a graph can be, for a person and for a program.
#include "base/quantities.hpp"
#include "report/json.hpp"
#include "report/plain_text.hpp"

#include <antiphon/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace antiphon {

namespace {

using report::Json;

std::string text(const Fraction& value) {
  return value.denominator == 1 ? fmt::format("{}", value.numerator)
                                : fmt::format("{}/{}", value.numerator, value.denominator);
}

const char* word(Bound::State state) {
  switch (state) {
    case Bound::State::exact:
      return "exact";
    case Bound::State::undecided:
      return "undecided";
    case Bound::State::too_large:
      return "too-large";
  }
  return "undecided";
}

const char* word(CriticalStep::Through through) {
  switch (through) {
    case CriticalStep::Through::data:
      return "data";
    case CriticalStep::Through::space:
      return "space";
    case CriticalStep::Through::itself:
      return "itself";
  }
  return "data";
}

// "at least 21.8 ms an iteration".
std::string headline(const Bound& bound, bool nanoseconds) {
  if (bound.state == Bound::State::too_large) return "times that do not fit 62 bits";
  if (bound.period.numerator == 0) {
    return bound.state == Bound::State::exact ? "no limit" : "not known within the budget";
  }
  auto result = fmt::format("{} an iteration", time_text(bound.period.value(), nanoseconds));
  if (nanoseconds) result += fmt::format(", {:.6g}/s", 1e9 / bound.period.value());
  if (bound.state == Bound::State::undecided) result += " or slower: the budget ran out";
  return result;
}

std::string step_text(const CriticalStep& step, bool nanoseconds) {
  const auto actor = report::plain(step.actor);
  const auto other = report::plain(step.waits_for);
  const auto costs = fmt::format("{} firing{}, {}", step.firings, step.firings == 1 ? "" : "s",
                                 time_text(static_cast<double>(step.time), nanoseconds));
  switch (step.through) {
    case CriticalStep::Through::data:
      return fmt::format("'{}' waits for messages of '{}' in '{}' ({})", actor, other,
                         report::plain(step.channel), costs);
    case CriticalStep::Through::space:
      return fmt::format("'{}' waits for room that '{}' makes in '{}' ({})", actor, other,
                         report::plain(step.channel), costs);
    case CriticalStep::Through::itself:
      return fmt::format("'{}' waits for its own firing before ({})", actor, costs);
  }
  return {};
}

const char* word(Latency::State state) {
  switch (state) {
    case Latency::State::finite:
      return "finite";
    case Latency::State::infinite:
      return "infinite";
    case Latency::State::undecided:
      return "undecided";
    case Latency::State::too_large:
      return "too-large";
    case Latency::State::unconnected:
      return "unconnected";
  }
  return "undecided";
}

std::string latency_text(const Latency& latency, bool nanoseconds) {
  const auto say = [&](const Fraction& value) { return time_text(value.value(), nanoseconds); };
  auto result =
      fmt::format("  '{}' -> '{}'  ", report::plain(latency.source), report::plain(latency.sink));
  switch (latency.state) {
    case Latency::State::finite:
      return result + fmt::format("one every {}: {} at first, {} at most once it goes on\n",
                                  say(latency.interval), say(latency.first), say(latency.steady));
    case Latency::State::infinite:
      return result + fmt::format(
                          "one every {}: without end, since one every {} is all that the "
                          "graph takes; {} at first\n",
                          say(latency.interval), say(latency.interval_min), say(latency.first));
    case Latency::State::undecided:
      return result + "not known within the budget\n";
    case Latency::State::too_large:
      return result + "times that do not fit 62 bits\n";
    case Latency::State::unconnected:
      return result +
             "nothing that the first goes on sending has a part in what reaches the second\n";
  }
  return result;
}

Json to_json(const Latency& latency) {
  return Json{{"source", latency.source},
              {"sink", latency.sink},
              {"state", word(latency.state)},
              {"interval", text(latency.interval)},
              {"interval_min", text(latency.interval_min)},
              {"first", text(latency.first)},
              {"steady", text(latency.steady)}};
}

Json to_json(const Bound& bound) {
  Json cycle = Json::array();
  for (const auto& step : bound.critical_cycle) {
    cycle.push_back(Json{{"actor", step.actor},
                         {"waits_for", step.waits_for},
                         {"through", word(step.through)},
                         {"channel", step.channel},
                         {"firings", step.firings},
                         {"time", step.time}});
  }
  const auto& p = bound.period;
  return Json{{"state", word(bound.state)},
              {"period", text(p)},
              {"throughput", p.numerator == 0 ? "inf" : text(Fraction{p.denominator, p.numerator})},
              {"critical_cycle", std::move(cycle)},
              {"cycle_time", bound.cycle_time},
              {"cycle_iterations", bound.cycle_iterations},
              {"cycle_share", bound.cycle_share}};
}

}  // namespace

std::string render_text(const Bounds& bounds, const TextOptions& options) {
  if (bounds.report.verdict != Verdict::valid) return render_text(bounds.report, options);
  const auto ns = bounds.nanoseconds;
  std::string out = fmt::format("graph '{}'\n", report::plain(bounds.report.graph));
  out += fmt::format("  at best                 {}\n", headline(bounds.given, ns));
  out += fmt::format("  capacities unlimited    {}\n", headline(bounds.unlimited, ns));
  out += fmt::format("  no actor overlapped     {}\n", headline(bounds.serial, ns));
  if (bounds.actors_without_cost > 0) {
    out += fmt::format("note: {} of {} actors have no cost, so they count as taking no time\n",
                       bounds.actors_without_cost, bounds.report.actors.size());
  }
  constexpr std::size_t most_steps = 12;
  if (!bounds.given.critical_cycle.empty()) {
    out += "what limits it, around:\n";
    const auto& steps = bounds.given.critical_cycle;
    const auto shown = options.all ? steps.size() : std::min(steps.size(), most_steps);
    for (std::size_t i = 0; i < shown; ++i) out += "  " + step_text(steps[i], ns) + "\n";
    if (shown < steps.size()) out += fmt::format("  … and {} steps more\n", steps.size() - shown);
  }
  if (!bounds.latencies.empty()) {
    out += "latency:\n";
    for (const auto& latency : bounds.latencies) out += latency_text(latency, ns);
  }
  constexpr std::size_t most_actors = 24;
  const auto& actors = bounds.report.actors;
  std::size_t width = 5;
  const auto rows = options.all ? actors.size() : std::min(actors.size(), most_actors);
  for (std::size_t i = 0; i < rows; ++i) width = std::max(width, actors[i].name.size());
  out += fmt::format("{:<{}}  firings an iteration\n", "actor", width);
  for (std::size_t i = 0; i < rows; ++i) {
    out += fmt::format("{:<{}}  {:>20}\n", report::plain(actors[i].name), width, actors[i].firings);
  }
  if (rows < actors.size()) out += fmt::format("… and {} actors more\n", actors.size() - rows);
  return out;
}

std::string render_json(const Bounds& bounds) {
  if (bounds.report.verdict != Verdict::valid) return render_json(bounds.report);
  std::int64_t firings = 0;
  Json actors = Json::array();
  for (const auto& actor : bounds.report.actors) {
    firings += actor.firings;
    actors.push_back(
        Json{{"name", actor.name}, {"repetitions", actor.repetitions}, {"firings", actor.firings}});
  }
  auto given = to_json(bounds.given);
  Json json{{"graph", bounds.report.graph},
            {"verdict", "valid"},
            {"unit", bounds.nanoseconds ? "ns" : ""},
            {"firings", firings},
            {"actors_without_cost", bounds.actors_without_cost}};
  for (auto& [key, value] : given.items()) json[key] = value;
  json["period_serial"] = text(bounds.serial.period);
  json["period_unlimited"] = text(bounds.unlimited.period);
  json["serial"] = to_json(bounds.serial);
  json["unlimited"] = to_json(bounds.unlimited);
  json["latencies"] = Json::array();
  for (const auto& latency : bounds.latencies) json["latencies"].push_back(to_json(latency));
  json["actors"] = std::move(actors);
  return report::dump(json);
}

}  // namespace antiphon
