// What a graph is held to: each shortfall is told, and each repair does and is needed.
#include "check/check_graph.hpp"
#include "check/random_graphs.hpp"
#include "check/throughput.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace antiphon;
using namespace random_graphs;

namespace {

Report checked(const std::string& body) {
  return check(parse_graph("format: 1\n" + body, "g.yaml"));
}

std::vector<std::string> codes(const Report& report) {
  std::vector<std::string> result;
  for (const auto& d : report.diagnostics) result.emplace_back(d.code);
  return result;
}

const std::string stages =
    "actors:\n  a: {cost: 4 ms, out: {x: int32}}\n  b: {cost: 5 ms, in: {x: int32}}\n"
    "channels: [{from: a.x, to: b.x, capacity: 2}]\n";

void apply(const std::vector<Repair>& repairs, GraphModel& model) {
  for (const auto& repair : repairs) {
    REQUIRE(repair.of == Repair::Of::capacity);
    for (auto& channel : model.channels) {
      if (display_name(channel) == repair.channel) channel.capacity = repair.to;
    }
  }
}

}  // namespace

TEST_CASE("what is kept exactly is kept") {
  CHECK(codes(checked(stages + "require: {throughput: 200/s}\n")).empty());
  CHECK(codes(checked(stages + "require: {throughput: 0.2/ms}\n")).empty());
  CHECK(codes(checked(stages + "require: {throughput: 12000/min}\n")).empty());
  CHECK(codes(checked(stages + "require: {throughput: 200.000001/s}\n")) ==
        std::vector<std::string>{"too-slow"});
  CHECK(codes(checked(stages + "require: {throughput: {a: 200/s, b: 201/s}}\n")) ==
        std::vector<std::string>{"too-slow"});
  CHECK(codes(checked(stages + "require: {latency: {from: a, to: b, within: 9 ms}}\n")).empty());
  CHECK(codes(checked(stages + "require: {latency: {from: a, to: b, within: 8999 us}}\n")) ==
        std::vector<std::string>{"too-late"});
  CHECK(codes(checked(stages + "require: {memory: 8 B}\n")).empty());
  CHECK(codes(checked(stages + "require: {memory: 7 B}\n")) ==
        std::vector<std::string>{"too-much-memory"});
}

TEST_CASE("numbers may use parameters, and SDF3's have its unit") {
  CHECK(codes(checked("parameters: {rate: 100}\n" + stages + "require: {throughput: 2*(rate)/s}\n"))
            .empty());
  const std::string sdf3 =
      "semantics: sdf3\nactors:\n  a: {cost: 4, in: {y: 4 B}, out: {x: 4 B}}\n"
      "channels: [{from: a.x, to: a.y, initial: 1}]\n";
  CHECK(codes(checked(sdf3 + "require: {throughput: 1/4}\n")).empty());
  CHECK(codes(checked(sdf3 + "require: {throughput: 1/3}\n")) ==
        std::vector<std::string>{"too-slow"});
  CHECK(codes(checked(sdf3 + "require: {memory: 1 GiB}\n")) ==
        std::vector<std::string>{"too-much-memory"});
}

TEST_CASE("random graphs: each repair of a shortfall does, and nothing of it can be left out") {
  Dice dice(77);
  int repaired = 0;
  int hopeless = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    CAPTURE(turn);
    auto made = make(dice, {});
    auto& model = made.model;
    give_costs(dice, model);
    const auto outcome = analysis::check_graph(model);
    if (!outcome.graph) continue;
    const auto period =
        analysis::throughput(outcome.graph->relation(), outcome.graph->repetitions()).period;
    if (period == Rational(0)) continue;
    // A little faster than it is.
    model.require.throughput.push_back(
        {"", Rational(period.denominator() * 10, period.numerator() * 9), {}});
    const auto report = check(Graph(model));
    REQUIRE(codes(report) == std::vector<std::string>{"too-slow"});
    const auto& d = report.diagnostics[0];
    CHECK(report.verdict == Verdict::invalid);
    if (d.repairs.empty()) {
      ++hopeless;
      CHECK(!d.help.empty());
      continue;
    }
    ++repaired;
    // With what the check had chosen before, so that only the repair differs.
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
      model.channels[c].capacity = outcome.graph->capacities()[c];
    }
    auto whole = model;
    apply(d.repairs, whole);
    CHECK(check(Graph(whole)).verdict == Verdict::valid);
    for (std::size_t r = 0; r < d.repairs.size(); ++r) {
      auto part = whole;
      for (auto& channel : part.channels) {
        if (display_name(channel) != d.repairs[r].channel) continue;
        channel.capacity = *channel.capacity - 1;
      }
      CHECK(check(Graph(part)).verdict != Verdict::valid);
    }
  }
  CHECK(repaired > 50);
  CHECK(hopeless > 50);
}

TEST_CASE("a thing is shared unless the relation keeps its users apart") {
  const std::string ring =
      "actors:\n  a: {in: {y: int32}, out: {x: int32}, uses: lamp}\n"
      "  b: {in: {x: int32}, out: {z: int32}}\n"
      "  c: {in: {z: int32}, out: {y: int32}, uses: lamp}\n"
      "channels:\n  - a.x -> b.x\n  - b.z -> c.z\n  - {from: c.y, to: a.y, initial: ";
  CHECK(codes(checked(ring + "1}\n")).empty());
  CHECK(codes(checked(ring + "2}\n")) == std::vector<std::string>{"shared-resource"});
  // One place that both work on keeps them apart, too.
  const std::string pair =
      "actors:\n  a: {out: {x: int32}, uses: lamp}\n  b: {in: {x: int32}, uses: lamp}\n"
      "channels: [{from: a.x, to: b.x, capacity: ";
  CHECK(codes(checked(pair + "1}]\n")).empty());
  CHECK(codes(checked(pair + "2}]\n")) == std::vector<std::string>{"shared-resource"});
  // Two places, which they fill and empty at once.
  const std::string pairs =
      "actors:\n  a: {out: {x: {type: int32, rate: 2}}, uses: lamp}\n"
      "  b: {in: {x: {type: int32, rate: [1, 1]}}, uses: lamp}\n"
      "channels: [{from: a.x, to: b.x, capacity: ";
  CHECK(codes(checked(pairs + "2}]\n")).empty());
  CHECK(codes(checked(pairs + "3}]\n")) == std::vector<std::string>{"shared-resource"});
}

TEST_CASE("a thing that very many share is told once, and soon") {
  std::string many = "actors:\n";
  for (int a = 0; a < 3000; ++a) many += "  a" + std::to_string(a) + ": {uses: log}\n";
  const auto report = checked(many);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].message ==
        "'a0', 'a1', 'a2', 'a3', 'a4' and 2995 more may use 'log' at the same time");
  CHECK(report.diagnostics[0].marks.size() == 6);
  CHECK(report.diagnostics[0].subjects.size() == 3001);
}

TEST_CASE("what is allowed is kept with its reason, and is no more a warning") {
  const std::string graph =
      "actors:\n  a: {uses: lamp}\n  b: {uses: [lamp, door]}\n  c: {uses: door}\n";
  CHECK(codes(checked(graph)).size() == 2);
  const auto one = checked(graph + "allow: {shared-resource: {of: lamp, reason: it is on}}\n");
  REQUIRE(one.diagnostics.size() == 2);
  for (const auto& d : one.diagnostics) {
    const bool lamp = std::find(d.subjects.begin(), d.subjects.end(), "lamp") != d.subjects.end();
    CHECK(d.allowed == (lamp ? "it is on" : ""));
  }
  const auto all = checked(graph + "allow: {shared-resource: nobody looks}\n");
  for (const auto& d : all.diagnostics) CHECK(d.allowed == "nobody looks");
  CHECK(all.verdict == Verdict::valid);
}
