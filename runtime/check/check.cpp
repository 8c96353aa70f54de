#include "check/allowances.hpp"
#include "check/capacities.hpp"
#include "check/check_graph.hpp"
#include "check/deadlock.hpp"
#include "check/devices.hpp"
#include "check/findings.hpp"
#include "check/kernels.hpp"
#include "check/liveness.hpp"
#include "check/rates.hpp"
#include "check/requirements.hpp"
#include "check/resources.hpp"
#include "check/rules.hpp"
#include "check/starvation.hpp"
#include "check/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace antiphon::analysis {

namespace {

// More threads than this no pool has.
constexpr std::int64_t most_threads = 1024;
// Steps spent on what would cure a deadlock, at most: seconds.
constexpr std::int64_t most_for_cures = 50'000'000;

Diagnostic budget_spent(const GraphModel& model, std::int64_t budget) {
  auto d = finding(rule::undecided, fmt::format("whether '{}' can stop is not decided after {}",
                                                model.name, counted(budget, "step")));
  if (model.place.known()) d.marks.push_back({model.place, "graph " + model.name, ""});
  d.help = "raise the budget, or choose rates that share more factors: iterations become shorter";
  return d;
}

}  // namespace

// The one place that makes checked graphs.
struct Checker {
  // Leaves in `result`, if given and the graph is valid, all of it but the model and the report.
  static Report check(const GraphModel& model, const CheckOptions& options, CheckedGraph* result) {
    Report report;
    report.graph = model.name;
    report.verdict = Verdict::invalid;
    if (options.device) report.device = options.device->name;
    const auto ends = check_structure(model, report.diagnostics);
    if (has_errors(report.diagnostics)) return report;

    std::vector<Diagnostic> of_kernels;
    const auto kernels =
        options.kernels ? check_kernels(model, of_kernels) : ActorKernels(model.actors.size());
    check_behaviour(model, ends, options, kernels, report, result);
    if (has_errors(of_kernels)) report.verdict = Verdict::invalid;
    report.diagnostics.insert(report.diagnostics.end(), std::make_move_iterator(of_kernels.begin()),
                              std::make_move_iterator(of_kernels.end()));
    if (result != nullptr) result->kernels_ = kernels;
    return report;
  }

  // All that follows from the relation. What is found goes to the report.
  static void check_behaviour(const GraphModel& model, const Ends& ends,
                              const CheckOptions& options, const ActorKernels& kernels,
                              Report& report, CheckedGraph* result) {
    auto [relation, capacities] = build_sized(model, ends);
    auto repetitions = solve_rates(model, relation, report.diagnostics);
    if (has_errors(report.diagnostics)) return;
    report.actors.reserve(model.actors.size());
    for (std::size_t a = 0; a < model.actors.size(); ++a) {
      report.actors.push_back(
          {model.actors[a].name, repetitions[a], repetitions[a] * relation.timelines[a].phases});
    }

    auto budget = options.budget;
    auto liveness = examine(relation, repetitions, budget);
    if (!liveness.stuck.empty()) {
      const auto for_cures = std::min(options.budget, most_for_cures);
      grow_capacities(model, repetitions, for_cures, capacities, relation, liveness);
      if (!liveness.stuck.empty() && give_room(model, relation)) {
        // Channels that the check sizes itself are neither to blame nor to be raised by anybody.
        auto again = options.budget;
        liveness = examine(relation, repetitions, again);
        // They would do, and how large they must be was not found.
        liveness.undecided = liveness.undecided || liveness.stuck.empty();
      }
      describe_deadlocks({model, relation, repetitions, capacities}, liveness, for_cures,
                         report.diagnostics);
    }
    if (liveness.undecided) report.diagnostics.push_back(budget_spent(model, options.budget));
    if (has_errors(report.diagnostics)) return;
    if (liveness.undecided) {
      report.verdict = Verdict::undecided;
      return;
    }

    fit_capacities(model, repetitions, capacities, relation);
    const Subject subject{model, relation, repetitions, capacities};
    check_requirements(subject, options.budget, report.diagnostics);
    check_resources(subject, report.diagnostics);
    check_starvation(subject, options.threads > 0 ? options.threads : most_threads,
                     report.diagnostics);
    if (options.device) check_device(subject, kernels, *options.device, report.diagnostics);
    allow(model, report.diagnostics);
    if (has_errors(report.diagnostics)) return;
    if (std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                    [](const Diagnostic& d) { return d.code == rule::undecided.code; })) {
      report.verdict = Verdict::undecided;
      return;
    }
    report.verdict = Verdict::valid;
    report.memory = memory_of(subject);
    report.channels.reserve(model.channels.size());
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
      const auto& channel = model.channels[c];
      report.channels.push_back(
          {display_name(channel), capacities[c], !channel.capacity && capacities[c] > 0});
    }
    if (result != nullptr) {
      result->relation_ = std::move(relation);
      result->repetitions_ = std::move(repetitions);
      result->capacities_ = std::move(capacities);
    }
  }

  static Outcome check_and_keep(const GraphModel& model, const CheckOptions& options) {
    auto graph = std::shared_ptr<CheckedGraph>(new CheckedGraph);
    auto report = check(model, options, graph.get());
    if (report.verdict != Verdict::valid) return {std::move(report), nullptr};
    graph->model_ = model;
    graph->report_ = report;
    return {std::move(report), std::move(graph)};
  }
};

Outcome check_graph(const GraphModel& model, const CheckOptions& options) {
  return Checker::check_and_keep(model, options);
}

}  // namespace antiphon::analysis

namespace antiphon {

// The report alone: a large graph is not copied for it.
Report check(const Graph& graph, const CheckOptions& options) {
  return analysis::Checker::check(graph.model(), options, nullptr);
}

}  // namespace antiphon
