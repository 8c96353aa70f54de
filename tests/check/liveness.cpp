#include "check/liveness.hpp"

#include "check/check_graph.hpp"
#include "check/cure.hpp"
#include "check/random_graphs.hpp"

#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace antiphon;
using random_graphs::Dice;
using random_graphs::Naive;

namespace {

bool has_code(const Report& report, std::string_view code) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [&](const Diagnostic& d) { return d.code == code; });
}

// Three iterations: one that ends well could not tell a channel that slowly fills.
std::vector<std::int64_t> far_enough(const GraphModel& model, const Report& report) {
  std::vector<std::int64_t> result;
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    std::int64_t initial = 0;
    for (const auto& port : model.actors[a].ports) {
      initial = std::max(initial, port.rate.initial_phases());
    }
    result.push_back(initial + 3 * report.actors[a].firings);
  }
  return result;
}

}  // namespace

TEST_CASE("a pair's capacity is enough exactly from the known bound on") {
  for (std::int64_t p = 1; p <= 9; ++p) {
    for (std::int64_t c = 1; c <= 9; ++c) {
      for (std::int64_t d = 0; d <= 6; ++d) {
        const auto g = std::gcd(p, c);
        const auto bound = std::max(d, p + c - g + d % g);
        for (auto capacity = std::max({p, c, d}); capacity <= bound + 2; ++capacity) {
          GraphModel model;
          model.name = "pair";
          model.actors.resize(2);
          model.actors[0].name = "p";
          model.actors[1].name = "c";
          model.actors[0].ports.push_back({Direction::out, "x", p, {}});
          model.actors[1].ports.push_back({Direction::in, "x", c, {}});
          ChannelModel channel;
          channel.from = {"p", "x"};
          channel.to = {{"c", "x"}};
          channel.initial = d;
          channel.capacity = capacity;
          model.channels.push_back(channel);
          CAPTURE(p);
          CAPTURE(c);
          CAPTURE(d);
          CAPTURE(capacity);
          Dice dice(1);
          const bool lives = Naive(model, {capacity}).reaches({3 * c / g, 3 * p / g}, dice);
          CHECK(lives == (capacity >= bound));
          CHECK((analysis::check_graph(model).report.verdict == Verdict::valid) == lives);
        }
      }
    }
  }
}

namespace {

// Two chains of two through channels with room: a -> b, c -> d.
relation::Relation two_chains() {
  GraphModel model;
  for (const char* name : {"a", "b", "c", "d"}) {
    ActorModel actor;
    actor.name = name;
    actor.ports.push_back(
        {name[0] == 'a' || name[0] == 'c' ? Direction::out : Direction::in, "x", 1, {}});
    model.actors.push_back(actor);
  }
  for (const auto& [from, to] : {std::pair{"a", "b"}, std::pair{"c", "d"}}) {
    ChannelModel channel;
    channel.from = {from, "x"};
    channel.to = {{to, "x"}};
    channel.capacity = 1;
    model.channels.push_back(channel);
  }
  return relation::build(model);
}

// Firing n of `later` is behind firing n of `earlier` in a queue, or behind firing n - ahead.
void add_order(relation::Relation& r, relation::TimelineId earlier, relation::TimelineId later,
               std::int64_t ahead = 0) {
  r.sequences.emplace_back(1);
  const auto one = static_cast<relation::SequenceId>(r.sequences.size() - 1);
  r.waits.push_back(
      {relation::WaitKind::order, later, earlier, one, one, ahead, relation::none, 0});
  r.index();
}

}  // namespace

TEST_CASE("an order that follows the messages lives") {
  auto r = two_chains();
  add_order(r, 0, 1);
  add_order(r, 1, 2);
  add_order(r, 2, 3);
  std::int64_t budget = 1000;
  CHECK(analysis::examine(r, {1, 1, 1, 1}, budget).lives());
}

TEST_CASE("an order against the messages is a deadlock of order, and only of order") {
  auto r = two_chains();
  add_order(r, 1, 0);  // b before a, and a sends to b
  std::int64_t budget = 1000;
  const auto result = analysis::examine(r, {1, 1, 1, 1}, budget);
  REQUIRE(result.stuck.size() == 1);
  CHECK(result.stuck[0].kind == analysis::Deadlock::order);
  CHECK(result.stuck[0].block.timelines == std::vector<relation::TimelineId>{0, 1});
  REQUIRE(result.stuck[0].path.size() == 2);
  for (const auto& hop : result.stuck[0].path) {
    CHECK(hop.fired == 0);
    CHECK(hop.timepoint == 1);
  }
}

TEST_CASE("an order that asks for more than a channel holds is cured by its capacity alone") {
  auto r = two_chains();
  add_order(r, 1, 0, 2);   // a may be two firings ahead of b: it lives with room for one, too
  add_order(r, 0, 1, -1);  // b's firing n is behind a's firing n + 1: that needs room for two
  std::int64_t budget = 1000;
  const auto result = analysis::examine(r, {1, 1, 1, 1}, budget);
  REQUIRE(result.stuck.size() == 1);
  CHECK(result.stuck[0].kind == analysis::Deadlock::order);
  analysis::CureOptions options;
  options.kind = relation::WaitKind::space;
  options.may_grow = [](std::uint32_t) { return true; };
  options.now = [](std::uint32_t) { return 1; };
  const auto changes = analysis::cure(r, result.stuck[0].block, {1, 1, 1, 1}, options, budget);
  REQUIRE(changes.has_value());
  REQUIRE(changes->size() == 1);
  CHECK(changes->front().channel == 0);
  CHECK(changes->front().to == 2);
}

TEST_CASE("where data is missing, neither capacity nor order is to blame") {
  GraphModel model;
  for (const char* name : {"a", "b"}) {
    ActorModel actor;
    actor.name = name;
    actor.ports = {{Direction::in, "in", 1, {}}, {Direction::out, "out", 1, {}}};
    model.actors.push_back(actor);
  }
  for (const auto& [from, to] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    ChannelModel channel;
    channel.from = {from, "out"};
    channel.to = {{to, "in"}};
    channel.capacity = 1;
    model.channels.push_back(channel);
  }
  auto r = relation::build(model);
  add_order(r, 1, 0);
  std::int64_t budget = 1000;
  const auto result = analysis::examine(r, {1, 1}, budget);
  REQUIRE(result.stuck.size() == 1);
  CHECK(result.stuck[0].kind == analysis::Deadlock::data);
}

TEST_CASE("without budget only a periodic order proves life, and nothing proves a deadlock") {
  int proved = 0;
  int undecided = 0;
  for (std::uint64_t seed = 50'000; seed < 54'000; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto made = random_graphs::make(dice, {.phases = seed % 4 != 0});
    const auto outcome = analysis::check_graph(made.model, {.budget = 0});
    if (outcome.report.verdict == Verdict::valid) {
      ++proved;
      const auto target = far_enough(made.model, outcome.report);
      CHECK(Naive(made.model, outcome.graph->capacities()).reaches(target, dice));
    } else if (outcome.report.verdict == Verdict::undecided) {
      ++undecided;
      CHECK(outcome.graph == nullptr);
      CHECK(has_code(outcome.report, "undecided"));
      CHECK(outcome.report.channels.empty());
    } else {
      // Only what is seen without a step: a source that has nothing more to give.
      CHECK(outcome.report.diagnostics.front().message.find("never") != std::string::npos);
    }
  }
  CHECK(proved > 500);
  CHECK(undecided > 500);
}

TEST_CASE("iterations of 10^10 firings are decided at once") {
  GraphModel model;
  model.name = "long";
  const std::int64_t p = 99'991;  // primes
  const std::int64_t q = 99'989;
  for (const char* name : {"a", "b", "c"}) {
    ActorModel actor;
    actor.name = name;
    model.actors.push_back(actor);
  }
  const auto connect = [&](std::size_t from, std::int64_t sends, std::size_t to, std::int64_t takes,
                           std::int64_t initial) {
    ChannelModel channel;
    channel.from = {model.actors[from].name, "o" + std::to_string(to)};
    channel.to = {{model.actors[to].name, "i" + std::to_string(from)}};
    model.actors[from].ports.push_back({Direction::out, channel.from.port, sends, {}});
    model.actors[to].ports.push_back({Direction::in, channel.to[0].port, takes, {}});
    channel.initial = initial;
    model.channels.push_back(channel);
  };
  connect(0, p, 1, q, 0);
  connect(1, p, 2, q, 0);
  connect(2, q, 1, p, 4 * (p + q));
  connect(1, q, 0, p, 4 * (p + q));
  const auto report = analysis::check_graph(model).report;
  CHECK(report.verdict == Verdict::valid);
  REQUIRE(report.actors.size() == 3);
  CHECK(report.actors[2].firings == p * p);
}

TEST_CASE("phases that are all the same make an iteration no longer") {
  const auto report = check(
      parse_graph("format: 1\nactors:\n  a: {out: {x: {type: int32, rate: [1000000000000*1]}}}\n"
                  "  b: {in: {x: {type: int32, rate: [2*1, 3]}}}\n"
                  "channels:\n  - {from: a.x, to: b.x, capacity: 4}\n",
                  "g.yaml"),
      {.budget = 1000});
  CHECK(report.verdict == Verdict::valid);
}
