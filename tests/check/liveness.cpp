#include "check/liveness.hpp"

#include "check/check_graph.hpp"
#include "check/cure.hpp"
#include "check/random_graphs.hpp"

#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <sstream>
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

std::vector<std::int64_t> as_given(const GraphModel& model) {
  std::vector<std::int64_t> result;
  for (const auto& channel : model.channels) result.push_back(channel.capacity.value_or(0));
  return result;
}

struct Counts {
  int valid = 0;
  int data = 0;
  int capacity = 0;
};

// The check's verdict on a random graph is that of running it one firing at a time.
void agrees(std::uint64_t seed, const random_graphs::Options& options, Counts& counts) {
  CAPTURE(seed);
  Dice dice(seed);
  const auto made = random_graphs::make(dice, options);
  const auto outcome = analysis::check_graph(made.model);
  const auto& report = outcome.report;
  REQUIRE(report.actors.size() == made.model.actors.size());
  const auto target = far_enough(made.model, report);
  const std::vector<std::int64_t> unbounded(made.model.channels.size(), 0);
  const bool lacks_data = !Naive(made.model, unbounded).reaches(target, dice);
  CHECK(has_code(report, "deadlock-data") == lacks_data);
  if (report.verdict == Verdict::valid) {
    ++counts.valid;
    CHECK(Naive(made.model, outcome.graph->capacities()).reaches(target, dice));
    CHECK(Naive(made.model, as_given(made.model)).reaches(target, dice));
  } else {
    CHECK(report.verdict == Verdict::invalid);
    CHECK_FALSE(Naive(made.model, as_given(made.model)).reaches(target, dice));
    if (!lacks_data) CHECK(has_code(report, "deadlock-capacity"));
    counts.data += lacks_data ? 1 : 0;
    counts.capacity += has_code(report, "deadlock-capacity") ? 1 : 0;
  }
}

// Does what a help proposes: "raise the capacity of 'c1' from 2 to 3 and of …". A channel of
// several readers may be in several helps: the largest counts.
int apply(const GraphModel& original, const std::string& help, GraphModel& model) {
  const auto room = help.find("the capacity of");
  int changes = 0;
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    auto& channel = model.channels[c];
    const auto change = "'" + channel.name + "' from ";
    for (auto at = help.find(change); at != std::string::npos; at = help.find(change, at + 1)) {
      std::istringstream numbers(help.substr(at + change.size()));
      std::int64_t from = 0;
      std::string word;
      std::int64_t to = 0;
      numbers >> from >> word >> to;
      REQUIRE_FALSE(numbers.fail());
      REQUIRE(word == "to");
      if (at > room) {
        CHECK(original.channels[c].capacity.value_or(from) == from);
        channel.capacity = std::max(channel.capacity.value_or(0), to);
      } else {
        CHECK(original.channels[c].initial == from);
        channel.initial = std::max(channel.initial, to);
      }
      ++changes;
    }
  }
  return changes;
}

}  // namespace

TEST_CASE("a verdict on one-phase graphs is what running them one firing at a time shows") {
  Counts counts;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) agrees(seed, {.phases = false}, counts);
  CHECK(counts.valid > 200);
  CHECK(counts.data > 100);
  CHECK(counts.capacity > 100);
}

TEST_CASE("a verdict on graphs with phases is what running them one firing at a time shows") {
  Counts counts;
  for (std::uint64_t seed = 10'000; seed < 13'000; ++seed) agrees(seed, {}, counts);
  CHECK(counts.valid > 200);
  CHECK(counts.data > 100);
  CHECK(counts.capacity > 100);
}

TEST_CASE(
    "a verdict on graphs of unbounded channels is what running them one firing at a time shows") {
  Counts counts;
  for (std::uint64_t seed = 20'000; seed < 22'000; ++seed) {
    agrees(seed, {.bounded = false, .semantics = Semantics::sdf3}, counts);
  }
  CHECK(counts.valid > 200);
  CHECK(counts.data > 100);
  CHECK(counts.capacity == 0);
}

TEST_CASE("what a help proposes makes the graph live") {
  int tried = 0;
  for (std::uint64_t seed = 30'000; seed < 33'000; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto made = random_graphs::make(dice, {.phases = seed % 2 == 0});
    const auto report = analysis::check_graph(made.model).report;
    if (report.verdict == Verdict::valid) continue;
    // Each part that is stuck has its own diagnostic; together their changes cure all of them.
    GraphModel changed = made.model;
    bool says_all = true;
    int changes = 0;
    for (const auto& d : report.diagnostics) {
      CAPTURE(d.help);
      says_all = says_all && (d.help.find("then the graph lives") != std::string::npos ||
                              d.help.find("then they go on for ever") != std::string::npos);
      changes += apply(made.model, d.help, changed);
    }
    if (!says_all) continue;
    CHECK(changes > 0);
    CHECK(analysis::check_graph(changed).report.verdict == Verdict::valid);
    ++tried;
  }
  CHECK(tried > 300);
}

TEST_CASE("of the changes that a cure finds none can be smaller while the others stay") {
  int tried = 0;
  for (std::uint64_t seed = 40'000; seed < 41'500; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto made = random_graphs::make(dice, {});
    const auto report = analysis::check_graph(made.model).report;
    if (report.verdict == Verdict::valid || report.diagnostics.size() != 1) continue;
    const auto& d = report.diagnostics.front();
    if (d.code != "deadlock-capacity") continue;
    auto given = made.model;
    // Channels that the check sizes itself would grow by themselves.
    for (auto& channel : given.channels) {
      if (!channel.capacity && d.help.find("'" + channel.name + "'") != std::string::npos)
        given.name = "";
    }
    if (given.name.empty()) continue;
    auto cured = given;
    apply(given, d.help, cured);
    for (std::size_t c = 0; c < given.channels.size(); ++c) {
      if (cured.channels[c].capacity == given.channels[c].capacity) continue;
      auto less = cured;
      less.channels[c].capacity = *less.channels[c].capacity - 1;
      for (std::size_t other = 0; other < less.channels.size(); ++other) {
        if (!less.channels[other].capacity) less.channels[other].capacity = 1'000;
      }
      CHECK(analysis::check_graph(less).report.verdict == Verdict::invalid);
      ++tried;
    }
  }
  CHECK(tried > 50);
}

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
