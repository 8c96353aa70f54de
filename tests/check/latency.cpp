// How long messages take: worked examples, and random graphs against a simulation that remembers
// all.
#include "check/random_graphs.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/graph_file.hpp>

#include "check/check_graph.hpp"
#include "check/latency.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace antiphon;
using namespace random_graphs;

namespace {

std::string text(const Fraction& value) {
  auto result = std::to_string(value.numerator);
  if (value.denominator != 1) result += "/" + std::to_string(value.denominator);
  return result;
}

// "first steady", or why there is none.
std::string latency(const std::string& body, const LatencyQuestion& question) {
  const auto found = bounds(parse_graph("format: 1\n" + body, "g.yaml"), {.latency = question});
  REQUIRE(found.report.verdict == Verdict::valid);
  REQUIRE(found.latencies.size() == 1);
  const auto& latency = found.latencies[0];
  switch (latency.state) {
    case Latency::State::finite:
      return text(latency.first) + " " + text(latency.steady);
    case Latency::State::infinite:
      return "infinite below " + text(latency.interval_min);
    case Latency::State::unconnected:
      return "unconnected";
    default:
      return "not known";
  }
}

const std::string pipeline =
    "actors:\n"
    "  a: {cost: 3 ns, out: {x: int32}}\n"
    "  b: {cost: 5 ns, in: {x: int32}, out: {y: int32}}\n"
    "  c: {cost: 4 ns, in: {y: int32}}\n"
    "channels:\n  - {from: a.x, to: b.x, capacity: 2}\n  - {from: b.y, to: c.y, capacity: 2}\n";

// Fires everything as soon as it can, once around after another, and remembers all.
class Simulation {
 public:
  Simulation(const relation::Relation& relation, std::uint32_t source, Rational step)
      : relation_(relation), source_(source), step_(step), runs_(relation.timelines.size()) {}

  // Nobody fires beyond its limit.
  void run(const std::vector<std::int64_t>& limits) {
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t t = 0; t < runs_.size(); ++t) {
        while (static_cast<std::int64_t>(runs_[t].ends.size()) < limits[t] && fire(t)) more = true;
      }
    }
  }

  // From firing n's arrival to the end of the first firing of the sink that it is in; in units of
  // 1 / denominator of the step.
  std::optional<std::int64_t> latency(std::uint32_t sink, std::int64_t n) const {
    const auto& run = runs_[sink];
    for (std::size_t m = 0; m < run.ends.size(); ++m) {
      if (run.newest[m] >= n) return run.ends[m] - n * step_.numerator();
    }
    return std::nullopt;
  }

 private:
  struct Run {
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> newest;  // firing of the source that is in it
  };

  bool fire(std::uint32_t t) {
    auto& run = runs_[t];
    const auto n = static_cast<std::int64_t>(run.ends.size());
    std::int64_t start = run.starts.empty() ? 0 : run.starts.back();
    std::int64_t newest = run.newest.empty() ? -1 : run.newest.back();
    if (t == source_) {
      start = std::max(start, n * step_.numerator());
      newest = n;
    }
    for (const auto& wait : relation_.waits) {
      if (wait.waiter != t) continue;
      // One message after another: which firing of the source put it in.
      const auto& from = runs_[wait.source];
      const auto& gain = relation_.gain(wait);
      const bool any_order = relation_.timelines[wait.source].concurrency == 0;
      const auto last = relation_.need(wait).total(n + 1) - wait.offset;
      const auto first = relation_.need(wait).total(n) - wait.offset + 1;
      if (last <= 0) continue;
      std::int64_t sent = 0;
      for (std::int64_t f = 0; sent < last; ++f) {
        if (f == static_cast<std::int64_t>(from.ends.size())) return false;
        const auto before = sent;
        sent += gain.at(f);
        // In order: later firings are not seen to have ended before earlier ones have.
        const bool counts = any_order ? sent > before && sent >= first : true;
        if (!counts) continue;
        start = std::max(start, from.ends[static_cast<std::size_t>(f)]);
        if (wait.kind == relation::WaitKind::data && sent > before && sent >= first) {
          newest = std::max(newest, from.newest[static_cast<std::size_t>(f)]);
        }
      }
    }
    const auto& cost = relation_.timelines[t].cost;
    const auto time = cost ? relation_.sequences[*cost].at(n) : 0;
    run.starts.push_back(start);
    run.ends.push_back(start + time * step_.denominator());
    run.newest.push_back(newest);
    return true;
  }

  const relation::Relation& relation_;
  std::uint32_t source_;
  Rational step_;
  std::vector<Run> runs_;
};

}  // namespace

TEST_CASE("a message of a pipeline takes the time of its stages") {
  CHECK(latency(pipeline, {}) == "12 12");
  CHECK(latency(pipeline, {.interval = 6}) == "12 12");
  CHECK(latency(pipeline, {.source = "b", .sink = "c", .interval = 10}) == "12 9");
  // b is as fast as its messages may come: it never makes up for waiting for the first one.
  CHECK(latency(pipeline, {.source = "b", .sink = "b"}) == "8 8");
  CHECK(latency(pipeline, {.source = "b", .sink = "b", .interval = 6}) == "8 5");
}

TEST_CASE("messages that come faster than they are taken wait ever longer") {
  CHECK(latency(pipeline, {.interval = 5}) == "12 12");
  CHECK(latency(pipeline, {.interval = 4}) == "infinite below 5");
  // Whoever comes behind counts only where it can hold the others up.
  CHECK(latency(pipeline, {.source = "a", .sink = "b", .interval = 4}) == "infinite below 5");
  const std::string unbounded =
      "semantics: sdf3\nactors:\n  a: {cost: 3, out: {x: 4 B}}\n"
      "  b: {cost: 2, in: {x: 4 B}, out: {y: 4 B}}\n"
      "  c: {cost: 9, in: {y: 4 B, r: 4 B}, out: {s: 4 B}}\n"
      "channels:\n  - a.x -> b.x\n  - b.y -> c.y\n  - {from: c.s, to: c.r, initial: 1}\n";
  CHECK(latency(unbounded, {.source = "a", .sink = "b", .interval = 1}) == "5 5");
  CHECK(latency(unbounded, {.source = "a", .sink = "c", .interval = 1}) == "infinite below 9");
}

TEST_CASE("a message that waits for others takes as long as they take to come") {
  const std::string graph =
      "actors:\n  a: {cost: 1 ns, out: {x: int32}}\n"
      "  b: {cost: 2 ns, in: {x: {type: int32, rate: 4}}}\n"
      "channels: [{from: a.x, to: b.x, capacity: 8}]\n";
  // The first of four waits for the other three.
  CHECK(latency(graph, {.interval = 10}) == "33 33");
  CHECK(latency(graph, {}) == "6 6");
}

TEST_CASE("messages that are there at the start let the first one out later") {
  const std::string graph =
      "actors:\n  a: {cost: 1 ns, out: {x: int32}}\n  b: {cost: 2 ns, in: {x: int32}}\n"
      "channels: [{from: a.x, to: b.x, initial: 2, capacity: 5}]\n";
  // It is the third that b takes; b could take the two before it at once.
  CHECK(latency(graph, {.interval = 10}) == "6 3");
}

TEST_CASE("what has nothing to do with each other has no latency") {
  const std::string graph =
      "actors:\n  a: {cost: 1 ns, out: {x: int32}}\n  b: {cost: 2 ns, in: {x: int32}}\n"
      "channels: [a.x -> b.x]\n";
  CHECK(latency(graph, {.source = "b", .sink = "a"}) == "unconnected");
  const auto bad = [&] {
    bounds(parse_graph("format: 1\n" + graph, "g.yaml"), {.latency = LatencyQuestion{"aa", "b"}});
  };
  CHECK_THROWS_WITH_AS(bad(), "graph 'g' has no actor 'aa'; the nearest is 'a'", Error);
}

TEST_CASE("random graphs: latencies are those that a simulation finds") {
  Dice dice(20'261'201);
  int compared = 0;
  int unequal_ends = 0;
  for (int turn = 0; turn < 2500; ++turn) {
    CAPTURE(turn);
    Options options;
    options.semantics = dice.one_in(3) ? Semantics::sdf3 : Semantics::antiphon;
    auto made = make(dice, options);
    give_costs(dice, made.model);
    const auto outcome = analysis::check_graph(made.model);
    if (!outcome.graph) continue;
    const auto& graph = *outcome.graph;
    const auto& relation = graph.relation();
    const auto actors = static_cast<std::int64_t>(relation.timelines.size());
    const auto source = static_cast<std::uint32_t>(dice.roll(0, actors - 1));
    const auto sink = static_cast<std::uint32_t>(dice.roll(0, actors - 1));
    if (analysis::first_reached(relation, source, 0)[sink] < 0) continue;
    CAPTURE(source);
    CAPTURE(sink);
    auto found =
        analysis::latency(relation, graph.repetitions(), source, sink, std::nullopt, 100'000'000);
    using State = analysis::LatencyFound::State;
    REQUIRE(found.state == State::finite);
    const auto least = found.least_step;
    if (dice.one_in(2)) {
      // Slower by so much that what happened at the start is soon over.
      const auto whole = least.numerator() / least.denominator();
      const auto step = whole + whole * dice.roll(0, 3) / 4 + (whole < 8 ? dice.roll(0, 2) : 0);
      found = analysis::latency(relation, graph.repetitions(), source, sink, step, 100'000'000);
      if (Rational(step) < least) {
        CHECK(found.state == State::infinite);
        continue;
      }
      REQUIRE(found.state == State::finite);
    }
    constexpr std::int64_t iterations = 60;
    std::vector<std::int64_t> limits;
    for (std::size_t t = 0; t < relation.timelines.size(); ++t) {
      const auto& timeline = relation.timelines[t];
      limits.push_back((iterations + 30) * graph.repetitions()[t] * timeline.phases +
                       timeline.initial_phases);
    }
    Simulation simulation(relation, source, found.step);
    simulation.run(limits);
    const auto at_first = simulation.latency(sink, 0);
    REQUIRE(at_first);
    CHECK(Rational(*at_first, found.step.denominator()) == found.first);
    const auto per_iteration = limits[source] / (iterations + 30);
    std::int64_t longest = -1;
    for (auto n = iterations / 2 * per_iteration; n < iterations * per_iteration; ++n) {
      const auto time = simulation.latency(sink, n);
      REQUIRE(time);
      longest = std::max(longest, *time);
    }
    CAPTURE(found.step.numerator());
    CAPTURE(found.step.denominator());
    CAPTURE(found.steady.numerator());
    CAPTURE(found.steady.denominator());
    CAPTURE(longest);
    REQUIRE(Rational(longest, found.step.denominator()) == found.steady);
    ++compared;
    if (!(found.first == found.steady)) ++unequal_ends;
  }
  CHECK(compared > 400);
  CHECK(unequal_ends > 100);
}
