// The check against independent answers, on random graphs of every kind: life and deadlock against
// all orders of firings, repairs against their own smaller versions, throughput against a run in
// time. ANTIPHON_SEEDS=FROM-TO says which graphs: a slice of them, unless said.
#include "check/check_graph.hpp"
#include "check/random_graphs.hpp"
#include "check/repairs.hpp"
#include "check/state_space.hpp"
#include "check/timed_run.hpp"

#include <antiphon/bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace antiphon;
using namespace random_graphs;

namespace {

constexpr std::size_t most_states = 1'000'000;

struct Seeds {
  std::uint64_t from = 0;
  std::uint64_t to = 1'600;
};

Seeds seeds() {
  Seeds result;
  if (const auto* given = std::getenv("ANTIPHON_SEEDS")) {
    REQUIRE(std::sscanf(given, "%" SCNu64 "-%" SCNu64, &result.from, &result.to) == 2);
  }
  return result;
}

// A few for every thousand graphs: no case of the oracle may be empty.
bool enough(int count, int of_a_thousand) {
  const auto [from, to] = seeds();
  return count >= static_cast<int>((to - from) * static_cast<std::uint64_t>(of_a_thousand) / 1'000);
}

const std::array<Options, 8>& kinds() {
  static const std::array<Options, 8> result{{
      {.phases = false},
      {},
      {.plenty = true, .bounded = false, .semantics = Semantics::sdf3},
      {.large_rates = true},
      {.plenty = true, .all_bounded = true},
      {.phases = false, .all_bounded = true, .most_actors = 4},
      {.all_bounded = true, .large_rates = true},
      {.all_bounded = true, .most_actors = 3},
  }};
  return result;
}

GraphModel graph_of(std::uint64_t seed) {
  Dice dice(seed);
  auto model = make(dice, kinds()[seed % kinds().size()]).model;
  give_costs(dice, model);
  return model;
}

bool has_code(const Report& report, std::string_view code) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [&](const Diagnostic& d) { return d.code == code; });
}

std::vector<std::int64_t> firings_of(const Report& report) {
  std::vector<std::int64_t> result;
  for (const auto& actor : report.actors) result.push_back(actor.firings);
  return result;
}

// Three iterations: one that ends well could not tell a channel that slowly fills.
std::vector<std::int64_t> far_enough(const PlainGraph& graph, const Report& report) {
  auto result = firings_of(report);
  for (std::size_t a = 0; a < result.size(); ++a) result[a] = graph.actors[a].once + 3 * result[a];
  return result;
}

// 0, without bound, where nothing is given.
std::vector<std::int64_t> as_given(const GraphModel& model) {
  std::vector<std::int64_t> result;
  for (const auto& channel : model.channels) result.push_back(channel.capacity.value_or(0));
  return result;
}

// What the check chose, of a valid graph; what is given, of another.
std::vector<std::int64_t> capacities_of(const GraphModel& model, const Report& report) {
  if (report.verdict != Verdict::valid) return as_given(model);
  std::vector<std::int64_t> result;
  for (const auto& channel : report.channels) result.push_back(channel.capacity);
  return result;
}

struct Lives {
  int all_states = 0;
  int overlapping = 0;
  int orders = 0;
  int valid = 0;
  int data = 0;
  int capacity = 0;
};

// Whether it lives by twenty orders, which all stop in the same place. Nobody goes on for ever:
// that is one inequality more.
bool lives_by_orders(const GraphModel& model, const std::vector<std::int64_t>& capacities,
                     const std::vector<std::int64_t>& target, Dice& dice) {
  const auto most = Naive::beyond(target);
  const auto stopped = Naive(model, capacities).run(most, dice);
  for (int order = 1; order < 20; ++order) {
    if (Naive(model, capacities).run(most, dice) != stopped) FAIL("two orders stop differently");
  }
  for (std::size_t a = 0; a < target.size(); ++a) {
    if (stopped[a] < target[a]) return false;
  }
  return true;
}

std::optional<AllStates> all_states(const PlainGraph& graph, Steps steps) {
  if (std::any_of(graph.links.begin(), graph.links.end(),
                  [](const auto& link) { return link.capacity == 0; })) {
    return std::nullopt;  // without bound, and without end
  }
  return StateSpace(graph, steps).explore(most_states);
}

void hold_verdict(std::uint64_t seed, Lives& lives) {
  CAPTURE(seed);
  Dice dice(seed);
  const auto model = graph_of(seed);
  const auto report = analysis::check_graph(model).report;
  REQUIRE(report.actors.size() == model.actors.size());
  REQUIRE(report.verdict != Verdict::undecided);
  const bool valid = report.verdict == Verdict::valid;
  const auto capacities = capacities_of(model, report);
  auto graph = plain(model, capacities);
  const auto target = far_enough(graph, report);
  const std::vector<std::int64_t> unbounded(model.channels.size(), 0);
  const bool lacks_data = !Naive(model, unbounded).reaches(target, dice);
  CHECK(has_code(report, "deadlock-data") == lacks_data);
  lives.valid += valid ? 1 : 0;
  lives.data += lacks_data ? 1 : 0;
  lives.capacity += has_code(report, "deadlock-capacity") ? 1 : 0;

  if (const auto all = all_states(graph, Steps::firings)) {
    CHECK(all->lives == valid);
    CHECK(all->ends == 1);
    ++lives.all_states;
    // Starts and ends by themselves make many more states.
    if (all->states > 2'000) return;
    for (auto& actor : graph.actors) {
      if (actor.concurrency == 0) actor.concurrency = 3;
    }
    if (const auto more = StateSpace(graph, Steps::starts_and_ends).explore(most_states)) {
      CHECK(more->lives == valid);
      CHECK(more->ends == 1);
      ++lives.overlapping;
    }
  } else {
    CHECK(lives_by_orders(model, capacities, target, dice) == valid);
    ++lives.orders;
  }
}

// What the helps of all parts that are stuck propose, done at once; nothing where one of them does
// not say that this suffices.
std::optional<GraphModel> cured(const GraphModel& model, const Report& report) {
  auto result = model;
  for (const auto& d : report.diagnostics) {
    if (d.help.find("then the graph lives") == std::string::npos &&
        d.help.find("then they go on for ever") == std::string::npos) {
      return std::nullopt;
    }
    CHECK(apply_help(model, d.help, result) > 0);
  }
  return result;
}

}  // namespace

TEST_CASE("a verdict is what every order of firings shows") {
  Lives lives;
  const auto [from, to] = seeds();
  for (auto seed = from; seed < to; ++seed) hold_verdict(seed, lives);
  MESSAGE((to - from) << " graphs: " << lives.valid << " valid, " << lives.data << " lack data, "
                      << lives.capacity << " lack room; " << lives.all_states
                      << " by all their states (" << lives.overlapping
                      << " of them with overlap, too), " << lives.orders << " by twenty orders");
  CHECK(enough(lives.valid, 200));
  CHECK(enough(lives.data, 50));
  CHECK(enough(lives.capacity, 50));
  CHECK(enough(lives.all_states, 200));
  CHECK(enough(lives.overlapping, 50));
  CHECK(enough(lives.orders, 100));
}

TEST_CASE("what a help proposes makes the graph live, and nothing of it can be left out") {
  int tried = 0;
  int less_tried = 0;
  const auto [from, to] = seeds();
  for (auto seed = from; seed < to; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    const auto model = graph_of(seed);
    const auto report = analysis::check_graph(model).report;
    if (report.verdict == Verdict::valid) continue;
    const auto changed = cured(model, report);
    // Of capacities, a help always says how many suffice.
    CHECK((changed || has_code(report, "deadlock-data")));
    if (!changed) continue;
    const auto now = analysis::check_graph(*changed).report;
    CHECK(now.verdict == Verdict::valid);
    if (now.verdict != Verdict::valid) continue;
    const auto capacities = capacities_of(*changed, now);
    const auto target = far_enough(plain(*changed, capacities), now);
    CHECK(Naive(*changed, capacities).reaches(target, dice));
    ++tried;
    if (has_code(report, "deadlock-data")) continue;
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
      if (changed->channels[c].capacity == model.channels[c].capacity) continue;
      const auto& name = model.channels[c].name;
      CAPTURE(name);
      // The check sizes these itself.
      CHECK(model.channels[c].capacity);
      auto less = *changed;
      less.channels[c].capacity = *less.channels[c].capacity - 1;
      const auto verdict = analysis::check_graph(less).report.verdict;
      CHECK(verdict == Verdict::invalid);
      CHECK_FALSE(Naive(less, as_given(less)).reaches(target, dice));
      ++less_tried;
    }
  }
  MESSAGE(tried << " cured, " << less_tried << " changes made smaller by one");
  CHECK(enough(tried, 50));
  CHECK(enough(less_tried, 50));
}

TEST_CASE("the throughput is that of a run in time that repeats itself") {
  int compared = 0;
  int limited = 0;
  const auto [from, to] = seeds();
  for (auto seed = from; seed < to; ++seed) {
    CAPTURE(seed);
    const auto model = graph_of(seed);
    const auto found = bounds(Graph(model));
    if (found.report.verdict != Verdict::valid) continue;
    const auto firings = firings_of(found.report);
    const auto given = plain(model, capacities_of(model, found.report));
    auto unlimited = given;
    for (auto& link : unlimited.links) link.capacity = 0;
    auto serial = given;
    for (auto& actor : serial.actors) actor.concurrency = 1;
    for (const auto& [bound, graph] :
         {std::pair<const Bound*, const PlainGraph*>{&found.given, &given},
          {&found.unlimited, &unlimited},
          {&found.serial, &serial}}) {
      REQUIRE(bound->state == Bound::State::exact);
      const auto period = self_timed_period(*graph, firings, 100'000);
      REQUIRE(period);
      CAPTURE(period->time);
      CAPTURE(period->iterations);
      CHECK(bound->period == Fraction{period->time, period->iterations});
      ++compared;
      if (period->time > 0) ++limited;
    }
  }
  MESSAGE(compared << " periods, " << limited << " of them above 0");
  CHECK(enough(compared, 500));
  CHECK(enough(limited, 300));
}
