#include <antiphon/bounds.hpp>

#include "check/check_graph.hpp"
#include "check/throughput.hpp"
#include "check/timed_component.hpp"

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

}  // namespace

Bounds bounds(const Graph& graph, const BoundsOptions& options) {
  Bounds result;
  auto outcome = analysis::check_graph(graph.model(), {.budget = options.check_budget});
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
  return result;
}

}  // namespace antiphon
