// How large channels must be: published graphs, and small ones where everything can be tried.
#include "check/check_graph.hpp"
#include "check/random_graphs.hpp"
#include "check/throughput.hpp"
#include "check/throughput_proof.hpp"
#include "corpus_table.hpp"

#include <antiphon/graph_file.hpp>
#include <antiphon/sizes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace antiphon;
using namespace random_graphs;

namespace {

// All capacities of that total, from the given ones up, until `visit` says true.
bool any_of_total(std::vector<std::int64_t>& capacities, const std::vector<std::int64_t>& weight,
                  std::size_t c, std::int64_t left,
                  const std::function<bool(const std::vector<std::int64_t>&)>& visit) {
  if (c == capacities.size()) return left >= 0 && visit(capacities);
  const auto least = capacities[c];
  for (; (capacities[c] - least) * weight[c] <= left; ++capacities[c]) {
    if (any_of_total(capacities, weight, c + 1, left - (capacities[c] - least) * weight[c],
                     visit)) {
      return true;
    }
  }
  capacities[c] = least;
  return false;
}

bool lives(const GraphModel& model, const std::vector<std::int64_t>& capacities) {
  auto bounded = model;
  bounded.semantics = Semantics::antiphon;
  for (std::size_t c = 0; c < capacities.size(); ++c) bounded.channels[c].capacity = capacities[c];
  return analysis::check_graph(bounded).report.verdict == Verdict::valid;
}

std::optional<Rational> period(const GraphModel& model,
                               const std::vector<std::int64_t>& capacities) {
  auto bounded = model;
  bounded.semantics = Semantics::antiphon;
  for (std::size_t c = 0; c < capacities.size(); ++c) bounded.channels[c].capacity = capacities[c];
  const auto outcome = analysis::check_graph(bounded);
  if (!outcome.graph) return std::nullopt;
  return analysis::throughput(outcome.graph->relation(), outcome.graph->repetitions()).period;
}

}  // namespace

TEST_CASE("published graphs have the published sizes, proved") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  int graphs = 0;
  for (const auto& row : rows) {
    if (row.at("size_pos") == "-") continue;
    CAPTURE(row.at("file"));
    const auto found = sizes(load_graph(corpus::folder() / row.at("file")));
    CHECK(found.live.state == Sizing::State::least);
    CHECK(found.full.state == Sizing::State::least);
    // One tool alone gives one message more than is needed here; that ours do is proved below.
    const bool ours_are_smaller = row.at("file") == "kiter-misc/new_benchmark.xml";
    CHECK(found.live.total == std::stoll(row.at("size_pos")) - (ours_are_smaller ? 1 : 0));
    CHECK(found.full.total == std::stoll(row.at("size_max")) - (ours_are_smaller ? 1 : 0));
    ++graphs;
  }
  CHECK(graphs > 20);
  for (const auto* file : {"sdf3-2009/mp3playback.xml", "kiter-misc/mp3_csdf.xml"}) {
    const auto found = sizes(load_graph(corpus::folder() / file));
    CHECK(found.live.state == Sizing::State::least);
    CHECK(found.full.state == Sizing::State::least);
  }
}

TEST_CASE("a graph that one tool gives a message more does with ours") {
  const auto folder = corpus::folder();
  if (corpus::rows().empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  const auto graph = load_graph(folder / "kiter-misc/new_benchmark.xml");
  const auto found = sizes(graph);
  // One firing at a time, in any order, messages counted one by one.
  Dice dice(7);
  const auto outcome = analysis::check_graph(graph.model());
  std::vector<std::int64_t> target;
  for (const auto& actor : outcome.report.actors) target.push_back(2 * actor.firings);
  CHECK(Naive(graph.model(), found.live.capacities).reaches(target, dice));
  // At full speed, by a schedule and a cycle.
  auto bounded = graph.model();
  for (std::size_t c = 0; c < bounded.channels.size(); ++c) {
    if (found.full.capacities[c] > 0) bounded.channels[c].capacity = found.full.capacities[c];
  }
  const auto checked = analysis::check_graph(bounded);
  REQUIRE(checked.graph);
  const analysis::TimedOptions timed;
  const auto fast = analysis::throughput(checked.graph->relation(), checked.graph->repetitions(),
                                         {.timed = timed, .schedules = true});
  CHECK(
      ThroughputProof(checked.graph->relation(), checked.graph->repetitions(), timed).fault(fast) ==
      "");
  CHECK(Fraction{fast.period.numerator(), fast.period.denominator()} == found.period);
}

TEST_CASE("small random graphs: nothing smaller does, as trying everything shows") {
  Dice dice(31);
  int live = 0;
  int fast = 0;
  int fronts = 0;
  for (int turn = 0; turn < 600; ++turn) {
    CAPTURE(turn);
    Options options;
    options.bounded = false;
    auto made = make(dice, options);
    auto& model = made.model;
    if (model.channels.empty() || model.channels.size() > 3) continue;
    for (auto& actor : model.actors) actor.cost = PhaseSequence(dice.roll(0, 5));
    std::vector<std::int64_t> weight;
    for (auto& channel : model.channels) {
      const auto bytes = dice.roll(1, 3);
      for (auto& actor : model.actors) {
        for (auto& port : actor.ports) {
          const auto is = [&](const Endpoint& end) {
            return end.actor == actor.name && end.port == port.name;
          };
          if (is(channel.from) || std::any_of(channel.to.begin(), channel.to.end(), is)) {
            port.type.size = static_cast<std::size_t>(bytes);
          }
        }
      }
      weight.push_back(bytes);
    }
    const auto found = sizes(Graph(model), {.front = true});
    if (found.report.verdict != Verdict::valid) continue;
    REQUIRE(found.live.state == Sizing::State::least);
    CHECK(lives(model, found.live.capacities));
    std::vector<std::int64_t> begin(weight.size(), 1);
    std::int64_t least_cost = 0;
    for (const auto w : weight) least_cost += w;
    if (found.live.total < 60) {
      CHECK_FALSE(any_of_total(begin, weight, 0, found.live.total - 1 - least_cost,
                               [&](const auto& c) { return lives(model, c); }));
      ++live;
    }
    if (found.full.state == Sizing::State::impossible) {
      CHECK(found.period.numerator == 0);
      continue;
    }
    REQUIRE(found.full.state == Sizing::State::least);
    const Rational best(found.period.numerator, found.period.denominator);
    const auto with = period(model, found.full.capacities);
    REQUIRE(with);
    CHECK(*with == best);
    if (found.full.total < 45) {
      begin.assign(weight.size(), 1);
      CHECK_FALSE(
          any_of_total(begin, weight, 0, found.full.total - 1 - least_cost, [&](const auto& c) {
            const auto p = period(model, c);
            return p && *p == best;
          }));
      ++fast;
      // The front: the best speed for each cost, where it is better than for any smaller one.
      std::map<std::int64_t, Rational> best_of;
      begin.assign(weight.size(), 1);
      any_of_total(begin, weight, 0, found.full.total - least_cost, [&](const auto& c) {
        const auto p = period(model, c);
        std::int64_t cost = 0;
        for (std::size_t i = 0; i < c.size(); ++i) cost += c[i] * weight[i];
        if (p && (best_of.count(cost) == 0 || *p < best_of.at(cost))) best_of[cost] = *p;
        return false;
      });
      std::vector<std::pair<std::int64_t, Rational>> front;
      for (const auto& [cost, p] : best_of) {
        if (front.empty() || p < front.back().second) front.emplace_back(cost, p);
      }
      CHECK(found.front_whole);
      REQUIRE(found.front.size() == front.size());
      for (std::size_t i = 0; i < front.size(); ++i) {
        CHECK(found.front[i].total == front[i].first);
        CHECK(Rational(found.front[i].period.numerator, found.front[i].period.denominator) ==
              front[i].second);
      }
      if (front.size() > 2) {
        ++fronts;
        // What somebody asks for who can do with a speed between two of them.
        const auto& wanted = front[front.size() - 2].second;
        const auto asked =
            sizes(Graph(model), {.period = Fraction{wanted.numerator(), wanted.denominator()}});
        REQUIRE(asked.asked);
        CHECK(asked.asked->total == front[front.size() - 2].first);
      }
    }
  }
  CHECK(live > 50);
  CHECK(fast > 30);
  CHECK(fronts > 5);
}

TEST_CASE("what the graph leaves to the check is as cheap as full speed allows") {
  const std::string actors =
      "format: 1\nactors:\n  a: {cost: 3 ns, out: {x: {type: int32, rate: 2}}}\n"
      "  b: {cost: 5 ns, in: {x: {type: int32, rate: 3}}, out: {y: int32}}\n"
      "  c: {COSTin: {y: int32}}\nchannels: [a.x -> b.x, {from: b.y, to: c.y, capacity: 1}]\n";
  const auto with = [&](const std::string& cost) {
    auto text = actors;
    text.replace(text.find("COST"), 4, cost);
    return check(parse_graph(text, "g.yaml"));
  };
  // While b works on three, a makes four: with room for one firing less b would wait for it.
  const auto timed = with("cost: 1 ns, ");
  REQUIRE(timed.channels.size() == 2);
  CHECK(timed.channels[0].capacity == 7);
  CHECK(timed.channels[0].chosen);
  CHECK(timed.channels[1].capacity == 1);
  CHECK_FALSE(timed.channels[1].chosen);
  // As long as nobody knows what c takes, room for two firings of each.
  CHECK(with("").channels[0].capacity == 10);
}

TEST_CASE("where the budget ends, what was found does, and what is said to be too little is") {
  const auto graph = parse_graph(
      "format: 1\nactors:\n"
      "  a: {cost: 1 ns, out: {x: {type: int32, rate: [3, 5, 7]}, y: {type: int32, rate: 15}}}\n"
      "  b: {cost: 2 ns, in: {x: {type: int32, rate: [1, 2, 12]}}, out: {z: {type: int32, rate: "
      "9}}}\n"
      "  c: {cost: 3 ns, in: {y: {type: int32, rate: 9}, z: {type: int32, rate: [3, 2, 4]}}}\n"
      "channels: [a.x -> b.x, a.y -> c.y, b.z -> c.z]\n",
      "g.yaml");
  const auto whole = sizes(graph);
  CHECK(whole.report.verdict == Verdict::invalid);  // rates do not fit around
  const auto fitting = parse_graph(
      "format: 1\nactors:\n"
      "  a: {cost: 1 ns, out: {x: {type: int32, rate: [3, 5, 7]}, y: {type: int32, rate: 5}}}\n"
      "  b: {cost: 2 ns, in: {x: {type: int32, rate: [1, 2, 12]}}, out: {z: {type: int32, rate: "
      "3}}}\n"
      "  c: {cost: 3 ns, in: {y: {type: int32, rate: 5}, z: {type: int32, rate: 3}}}\n"
      "channels: [a.x -> b.x, a.y -> c.y, b.z -> c.z]\n",
      "g.yaml");
  const auto least = sizes(fitting);
  REQUIRE(least.full.state == Sizing::State::least);
  for (const std::int64_t budget : {0, 1'000, 5'000, 20'000, 100'000}) {
    const auto part = sizes(fitting, {.budget = budget});
    for (const auto* sizing : {&part.live, &part.full}) {
      const auto& proved = sizing == &part.live ? least.live : least.full;
      CHECK(sizing->bound <= proved.total);
      if (sizing->state == Sizing::State::found) CHECK(sizing->total >= proved.total);
      if (sizing->state == Sizing::State::least) CHECK(sizing->total == proved.total);
      if (!sizing->capacities.empty()) CHECK(lives(fitting.model(), sizing->capacities));
    }
  }
}
