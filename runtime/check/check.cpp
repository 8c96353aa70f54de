#include "check/capacities.hpp"
#include "check/check_graph.hpp"
#include "check/deadlock.hpp"
#include "check/findings.hpp"
#include "check/liveness.hpp"
#include "check/rates.hpp"
#include "check/rules.hpp"
#include "check/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::analysis {

namespace {

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
  static Outcome check(const GraphModel& model, const CheckOptions& options) {
    Report report;
    report.graph = model.name;
    check_structure(model, report.diagnostics);
    if (has_errors(report.diagnostics)) return failed(std::move(report));

    auto capacities = first_capacities(model);
    auto relation = relation::build(model, &capacities);
    auto repetitions = solve_rates(model, relation, report.diagnostics);
    if (has_errors(report.diagnostics)) return failed(std::move(report));
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
      describe_deadlocks({model, relation, repetitions, capacities}, liveness, for_cures,
                         report.diagnostics);
    }
    if (liveness.undecided) report.diagnostics.push_back(budget_spent(model, options.budget));
    if (has_errors(report.diagnostics)) return failed(std::move(report));
    if (liveness.undecided) {
      report.verdict = Verdict::undecided;
      return {std::move(report), nullptr};
    }

    report.channels.reserve(model.channels.size());
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
      const auto& channel = model.channels[c];
      report.channels.push_back(
          {display_name(channel), capacities[c], !channel.capacity && capacities[c] > 0});
    }
    auto graph = std::shared_ptr<CheckedGraph>(new CheckedGraph);
    graph->model_ = model;
    graph->relation_ = std::move(relation);
    graph->report_ = report;
    graph->repetitions_ = std::move(repetitions);
    graph->capacities_ = std::move(capacities);
    return {std::move(report), std::move(graph)};
  }

 private:
  static Outcome failed(Report report) {
    report.verdict = Verdict::invalid;
    return {std::move(report), nullptr};
  }
};

Outcome check_graph(const GraphModel& model, const CheckOptions& options) {
  return Checker::check(model, options);
}

}  // namespace antiphon::analysis

namespace antiphon {

Report check(const Graph& graph, const CheckOptions& options) {
  return analysis::check_graph(graph.model(), options).report;
}

}  // namespace antiphon
