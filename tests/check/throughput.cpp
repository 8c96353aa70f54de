// How fast graphs can be: two ways to find it, a proof of each answer, and published graphs.
#include "check/throughput.hpp"

#include "check/check_graph.hpp"
#include "check/expansion.hpp"
#include "check/random_graphs.hpp"
#include "check/throughput_proof.hpp"
#include "corpus_table.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace antiphon;
using namespace random_graphs;

namespace {

analysis::Outcome checked(const Graph& graph) {
  auto outcome = analysis::check_graph(graph.model());
  REQUIRE(outcome.graph);
  return outcome;
}

std::string text(const Rational& value) {
  auto result = std::to_string(value.numerator());
  if (value.denominator() != 1) result += "/" + std::to_string(value.denominator());
  return result;
}

analysis::Throughput proved(const analysis::CheckedGraph& graph,
                            const analysis::TimedOptions& timed) {
  const auto found = analysis::throughput(graph.relation(), graph.repetitions(),
                                          {.timed = timed, .schedules = true});
  CHECK(found.state == analysis::Throughput::State::exact);
  CHECK(ThroughputProof(graph.relation(), graph.repetitions(), timed).fault(found) == "");
  return found;
}

std::string period(const std::string& body, const analysis::TimedOptions& timed = {}) {
  const auto outcome = checked(parse_graph("format: 1\n" + body, "g.yaml"));
  return text(proved(*outcome.graph, timed).period);
}

}  // namespace

TEST_CASE("a serial actor takes as long as its firings") {
  CHECK(period("actors:\n  a: {cost: 7 ns}\n") == "7");
  CHECK(period("actors:\n  a: {cost: [1 ns, 2 ns, 4 ns]}\n") == "7");
  CHECK(period("actors:\n  a: {cost: 9 ns, concurrency: 2}\n") == "9/2");
  CHECK(period("actors:\n  a: {cost: [9 ns, 1 ns], concurrency: 2}\n") == "9");
  CHECK(period("actors:\n  a: {cost: 9 ns, concurrency: unlimited}\n") == "0");
  CHECK(period("actors:\n  a: {cost: 9 ns, concurrency: unlimited}\n", {.serial = true}) == "9");
}

TEST_CASE("a pipeline is as fast as its slowest part, and capacities can hold it up") {
  const std::string actors =
      "actors:\n  a: {cost: 3 ns, out: {x: int32}}\n  b: {cost: 5 ns, in: {x: int32}}\n";
  CHECK(period(actors + "channels: [{from: a.x, to: b.x, capacity: 2}]\n") == "5");
  // One place: both have it from their start to their end.
  CHECK(period(actors + "channels: [{from: a.x, to: b.x, capacity: 1}]\n") == "8");
  CHECK(period(actors + "channels: [{from: a.x, to: b.x, capacity: 1}]\n", {.space = false}) ==
        "5");
}

TEST_CASE("the time of an iteration counts all firings of the slowest actor") {
  CHECK(period("actors:\n  a: {cost: 3 ns, out: {x: {type: int32, rate: 2}}}\n"
               "  b: {cost: 2 ns, in: {x: {type: int32, rate: 3}}}\n"
               "channels: [{from: a.x, to: b.x, capacity: 100}]\n") == "9");
}

TEST_CASE("a loop with more messages than firings may take a fraction") {
  CHECK(
      period("actors:\n  a: {cost: 3 ns, concurrency: unlimited, in: {y: int32}, out: {x: int32}}\n"
             "  b: {cost: 4 ns, concurrency: unlimited, in: {x: int32}, out: {y: int32}}\n"
             "channels:\n  - {from: a.x, to: b.x, capacity: 100}\n"
             "  - {from: b.y, to: a.y, initial: 3, capacity: 100}\n") == "7/3");
}

TEST_CASE("a thousand million messages in a loop are no more work than a few") {
  const auto outcome = checked(parse_graph(
      "format: 1\nsemantics: sdf3\nactors:\n"
      "  a: {cost: 3, in: {y: 4 B}, out: {x: {type: 4 B, rate: 3}}}\n"
      "  b: {cost: 4, in: {x: {type: 4 B, rate: 2}}, out: {y: {type: 4 B, rate: [1, 1, 0]}}}\n"
      "channels:\n  - {from: a.x, to: b.x, initial: 1}\n"
      "  - {from: b.y, to: a.y, initial: 1000000001}\n",
      "g.yaml"));
  // Two firings of a and three of b make an iteration, which takes two of those messages; a and b
  // have to follow each other once in so many.
  const auto found = proved(*outcome.graph, {});
  CHECK(found.period ==
        *analysis::expanded_period(outcome.graph->relation(), outcome.graph->repetitions(), {}));
  CHECK(found.period.value() < 1e-6);
  CHECK(found.period.value() > 0);
}

TEST_CASE("what takes no time is not limited, however long an iteration is") {
  const auto found =
      bounds(parse_graph("format: 1\nactors:\n  a: {out: {x: {type: int8, rate: 999999937}}}\n"
                         "  b: {in: {x: int8}, out: {y: int8}}\n"
                         "  c: {in: {y: {type: int8, rate: 999999937}}}\n"
                         "channels:\n  - {from: a.x, to: b.x, capacity: 1000000000}\n"
                         "  - {from: b.y, to: c.y, capacity: 1000000000}\n",
                         "g.yaml"),
             {.budget = 1'000});
  CHECK(found.report.verdict == Verdict::valid);
  CHECK(found.given.state == Bound::State::exact);
  CHECK(found.given.period == Fraction{0, 1});
}

TEST_CASE("random graphs: both ways agree, and each answer is proved") {
  Dice dice(20'260'101);
  int compared = 0;
  int limited = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    CAPTURE(turn);
    Options options;
    options.semantics = dice.one_in(3) ? Semantics::sdf3 : Semantics::antiphon;
    options.plenty = dice.one_in(2);
    auto made = make(dice, options);
    give_costs(dice, made.model);
    const auto outcome = analysis::check_graph(made.model);
    if (!outcome.graph) continue;
    const auto& graph = *outcome.graph;
    for (const analysis::TimedOptions timed :
         {analysis::TimedOptions{}, analysis::TimedOptions{.space = false},
          analysis::TimedOptions{.serial = true}}) {
      CAPTURE(timed.space);
      CAPTURE(timed.serial);
      const auto found = proved(graph, timed);
      const auto expanded = analysis::expanded_period(graph.relation(), graph.repetitions(), timed);
      REQUIRE(expanded);
      REQUIRE(text(found.period) == text(*expanded));
      ++compared;
      if (!(found.period == Rational(0))) ++limited;
    }
  }
  CHECK(compared > 3000);
  CHECK(limited > 2000);
}

TEST_CASE("published graphs have the published period, with a proof") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  int graphs = 0;
  for (const auto& row : rows) {
    if (row.at("consistent") != "yes" || row.at("deadlock_free") != "yes") continue;
    const auto firings = std::stoll(row.at("firings"));
    CAPTURE(row.at("file"));
    // The largest takes a minute with its proof: the oracle does it.
    if (firings > 1'000'000) continue;
    const auto outcome = checked(load_graph(corpus::folder() / row.at("file")));
    const analysis::TimedOptions given;
    const analysis::TimedOptions serial{.serial = true};
    CHECK(text(proved(*outcome.graph, given).period) == row.at("period"));
    CHECK(text(proved(*outcome.graph, serial).period) == row.at("period_serial"));
    if (firings < 2'500) {
      const auto& graph = *outcome.graph;
      for (const auto& timed : {given, serial}) {
        const auto expanded =
            analysis::expanded_period(graph.relation(), graph.repetitions(), timed);
        REQUIRE(expanded);
        CHECK(text(*expanded) == row.at(timed.serial ? "period_serial" : "period"));
      }
    }
    ++graphs;
  }
  CHECK(graphs > 45);
}

TEST_CASE("bounds name what limits a graph, and what would without capacities or overlap") {
  const auto found =
      bounds(parse_graph("format: 1\ngraph: g\nactors:\n"
                         "  a: {cost: 3 us, out: {x: int32}}\n"
                         "  b: {cost: 5 us, concurrency: 2, in: {x: int32}}\n"
                         "channels: [{from: a.x, to: b.x, capacity: 1}]\n",
                         "g.yaml"));
  CHECK(found.report.verdict == Verdict::valid);
  CHECK(found.nanoseconds);
  // One place for a message, which is a's and then b's.
  CHECK(found.given.period == Fraction{8000, 1});
  CHECK(found.unlimited.period == Fraction{3000, 1});
  CHECK(found.serial.period == Fraction{8000, 1});
  REQUIRE(found.given.critical_cycle.size() == 2);
  for (const auto& step : found.given.critical_cycle) {
    if (step.actor == "a") {
      CHECK(step.through == CriticalStep::Through::space);
      CHECK(step.waits_for == "b");
      CHECK(step.time == 3000);
    } else {
      CHECK(step.through == CriticalStep::Through::data);
      CHECK(step.waits_for == "a");
      CHECK(step.time == 5000);
    }
    CHECK(step.channel == "a.x -> b.x");
    CHECK(step.firings == 1);
  }
  CHECK(found.given.cycle_time == 8000);
  CHECK(found.given.cycle_iterations == 1);
  REQUIRE(found.unlimited.critical_cycle.size() == 1);
  CHECK(found.unlimited.critical_cycle[0].through == CriticalStep::Through::itself);

  const auto bad = bounds(parse_graph("format: 1\nactors: {}\n", "g.yaml"));
  CHECK(bad.report.verdict == Verdict::invalid);
  const auto short_budget =
      bounds(parse_graph("format: 1\nactors:\n  a: {cost: 3 ns, concurrency: 2}\n", "g.yaml"),
             {.budget = 0});
  CHECK(short_budget.given.state == Bound::State::undecided);
}
