#include <antiphon/bounds.hpp>

#include "check/check_graph.hpp"
#include "check/latency.hpp"
#include "check/throughput.hpp"
#include "check/timed_component.hpp"
#include "graph/similar_names.hpp"

#include <antiphon/error.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace antiphon {

namespace {

using relation::WaitKind;

std::vector<CriticalStep> steps_of(const analysis::CheckedGraph& graph,
                                   const analysis::CriticalCycle& cycle) {
  std::vector<CriticalStep> steps;
  // By actor and wait, in the order of the cycle.
  std::unordered_map<std::uint64_t, std::size_t> known;
  const auto& relation = graph.relation();
  const auto& model = graph.model();
  for (const auto& firing : cycle.firings) {
    const auto key = (std::uint64_t{firing.timeline} << 32U) | firing.wait;
    const auto [at, fresh] = known.emplace(key, steps.size());
    if (fresh) {
      CriticalStep step;
      step.actor = model.actors[firing.timeline].name;
      step.waits_for = step.actor;
      step.through = CriticalStep::Through::itself;
      if (firing.wait != relation::none) {
        const auto& wait = relation.waits[firing.wait];
        step.waits_for = model.actors[wait.source].name;
        if (wait.kind == WaitKind::data || wait.kind == WaitKind::space) {
          step.through = wait.kind == WaitKind::data ? CriticalStep::Through::data
                                                     : CriticalStep::Through::space;
          step.channel = display_name(model.channels[wait.channel]);
        }
      }
      steps.push_back(std::move(step));
    }
    auto& step = steps[at->second];
    ++step.firings;
    if (const auto& cost = relation.timelines[firing.timeline].cost) {
      step.time += relation.sequences[*cost].at(firing.firing);
    }
  }
  return steps;
}

Bound bound(const analysis::CheckedGraph& graph, const analysis::TimedOptions& timed,
            std::int64_t budget) {
  const auto found = analysis::throughput(graph.relation(), graph.repetitions(),
                                          {.timed = timed, .budget = budget});
  Bound result;
  using State = analysis::Throughput::State;
  result.state = found.state == State::exact       ? Bound::State::exact
                 : found.state == State::undecided ? Bound::State::undecided
                                                   : Bound::State::too_large;
  result.period = {found.period.numerator(), found.period.denominator()};
  result.critical_cycle = steps_of(graph, found.cycle);
  result.cycle_time = found.cycle.time;
  result.cycle_iterations = found.cycle.iterations;
  result.cycle_share = found.cycle.share;
  return result;
}

Fraction fraction(const Rational& value) {
  return {value.numerator(), value.denominator()};
}

// The actor of that name, or all that have no port in this direction.
std::vector<relation::TimelineId> ends(const GraphModel& model, const std::string& name,
                                       Direction direction) {
  std::vector<relation::TimelineId> found;
  for (relation::TimelineId a = 0; a < model.actors.size(); ++a) {
    const auto& actor = model.actors[a];
    const bool is_end = name.empty()
                            ? std::none_of(actor.ports.begin(), actor.ports.end(),
                                           [&](const Port& p) { return p.direction == direction; })
                            : actor.name == name;
    if (is_end) found.push_back(a);
  }
  if (found.empty() && !name.empty()) {
    std::vector<std::string> names;
    for (const auto& actor : model.actors) names.push_back(actor.name);
    const auto near = nearest_names(name, names);
    throw Error(ErrorKind::misuse, "graph '" + model.name + "' has no actor '" + name + "'" +
                                       (near.empty() ? "" : "; " + near));
  }
  return found;
}

std::vector<Latency> latencies(const analysis::CheckedGraph& graph, const LatencyQuestion& question,
                               std::int64_t budget) {
  const auto& model = graph.model();
  const auto sources = ends(model, question.source, Direction::in);
  const auto sinks = ends(model, question.sink, Direction::out);
  std::vector<Latency> result;
  for (const auto source : sources) {
    const auto reached = analysis::first_reached(graph.relation(), source, 0);
    for (const auto sink : sinks) {
      Latency latency;
      latency.source = model.actors[source].name;
      latency.sink = model.actors[sink].name;
      if (reached[sink] < 0) {
        // Of all pairs those are meant that have to do with each other.
        if (question.source.empty() && question.sink.empty()) continue;
        latency.state = Latency::State::unconnected;
        result.push_back(std::move(latency));
        continue;
      }
      const auto found = analysis::latency(graph.relation(), graph.repetitions(), source, sink,
                                           question.interval, budget);
      using State = analysis::LatencyFound::State;
      switch (found.state) {
        case State::finite:
          latency.state = Latency::State::finite;
          break;
        case State::infinite:
          latency.state = Latency::State::infinite;
          break;
        case State::undecided:
          latency.state = Latency::State::undecided;
          break;
        case State::too_large:
          latency.state = Latency::State::too_large;
          break;
        case State::unconnected:
          latency.state = Latency::State::unconnected;
          break;
      }
      latency.interval = fraction(found.step);
      latency.first = fraction(found.first);
      latency.steady = fraction(found.steady);
      latency.interval_min = fraction(found.least_step);
      result.push_back(std::move(latency));
    }
  }
  return result;
}

}  // namespace

Bounds bounds(const Graph& graph, const BoundsOptions& options) {
  Bounds result;
  auto outcome =
      analysis::check_graph(graph.model(), {.budget = options.check_budget, .kernels = false});
  result.report = std::move(outcome.report);
  result.nanoseconds = graph.model().semantics == Semantics::antiphon;
  if (!outcome.graph) return result;
  const auto& checked = *outcome.graph;
  for (const auto& actor : graph.model().actors) {
    if (!actor.cost) ++result.actors_without_cost;
  }
  result.given = bound(checked, {}, options.budget);
  bool any_space = false;
  bool any_overlap = false;
  for (const auto& w : checked.relation().waits) any_space |= w.kind == WaitKind::space;
  const auto& timelines = checked.relation().timelines;
  std::vector<bool> serial(timelines.size());
  for (std::size_t t = 0; t < timelines.size(); ++t) serial[t] = timelines[t].concurrency == 1;
  for (const auto& w : checked.relation().waits) {
    if (analysis::makes_serial(checked.relation(), w)) serial[w.waiter] = true;
  }
  for (std::size_t t = 0; t < timelines.size(); ++t) any_overlap |= !serial[t];
  result.unlimited = any_space ? bound(checked, {.space = false}, options.budget) : result.given;
  result.serial = any_overlap ? bound(checked, {.serial = true}, options.budget) : result.given;
  if (options.latency) result.latencies = latencies(checked, *options.latency, options.budget);
  return result;
}

}  // namespace antiphon
