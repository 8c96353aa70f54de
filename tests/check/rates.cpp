#include "check/check_graph.hpp"
#include "check/random_graphs.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace antiphon;

namespace {

bool has_code(const Report& report, std::string_view code) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [&](const Diagnostic& d) { return d.code == code; });
}

struct Link {
  std::size_t from, to;
  std::int64_t sends, takes;
};

// Actors a0, a1, … with one channel for each link.
GraphModel linked(std::size_t actors, const std::vector<Link>& links) {
  GraphModel model;
  model.name = "linked";
  model.semantics = Semantics::sdf3;
  model.actors.resize(actors);
  for (std::size_t a = 0; a < actors; ++a) model.actors[a].name = "a" + std::to_string(a);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto& link = links[i];
    const auto out = "o" + std::to_string(i);
    const auto in = "i" + std::to_string(i);
    model.actors[link.from].ports.push_back({Direction::out, out, link.sends, {}});
    model.actors[link.to].ports.push_back({Direction::in, in, link.takes, {}});
    ChannelModel channel;
    channel.from = {model.actors[link.from].name, out};
    channel.to = {{model.actors[link.to].name, in}};
    channel.initial = 100;
    model.channels.push_back(channel);
  }
  return model;
}

std::vector<std::int64_t> repetitions(const Report& report) {
  std::vector<std::int64_t> result;
  for (const auto& actor : report.actors) result.push_back(actor.repetitions);
  return result;
}

// Of the model with these rates.
Report check_of(GraphModel model, const std::vector<Repair>& repairs) {
  for (const auto& repair : repairs) {
    REQUIRE(repair.of == Repair::Of::rate);
    int found = 0;
    for (auto& actor : model.actors) {
      for (auto& port : actor.ports) {
        if (actor.name + "." + port.name != repair.channel) continue;
        CHECK(port.rate == PhaseSequence(repair.from));
        port.rate = repair.to;
        ++found;
      }
    }
    CHECK(found == 1);
  }
  return analysis::check_graph(model).report;
}

}  // namespace

TEST_CASE("the repetition vector is the smallest solution of each component") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    random_graphs::Dice dice(seed);
    const auto made = random_graphs::make(dice, {});
    const auto report = analysis::check_graph(made.model).report;
    CHECK(repetitions(report) == random_graphs::smallest(made));
  }
}

TEST_CASE(
    "three actors with any rates: solvable exactly where trying all small numbers finds a "
    "solution") {
  random_graphs::Dice dice(7);
  int solvable = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto rate = [&] { return dice.roll(1, 4); };
    const std::vector<Link> links{
        {0, 1, rate(), rate()}, {1, 2, rate(), rate()}, {0, 2, rate(), rate()}};
    std::vector<std::int64_t> expected;
    // The ratios of a tree's two edges are at most 4 each, so 16 bounds the smallest solution.
    for (std::int64_t x = 1; x <= 16 && expected.empty(); ++x) {
      for (std::int64_t y = 1; y <= 16 && expected.empty(); ++y) {
        for (std::int64_t z = 1; z <= 16 && expected.empty(); ++z) {
          const std::array q{x, y, z};
          if (std::all_of(links.begin(), links.end(), [&](const Link& l) {
                return q[l.from] * l.sends == q[l.to] * l.takes;
              })) {
            expected = {x, y, z};
          }
        }
      }
    }
    const auto report = analysis::check_graph(linked(3, links)).report;
    CHECK(has_code(report, "inconsistent-rates") == expected.empty());
    CHECK(repetitions(report) == expected);
    solvable += expected.empty() ? 0 : 1;
    if (!expected.empty()) continue;
    // What is proposed makes it solvable, all of it is needed, and there is always something.
    REQUIRE(report.diagnostics.size() == 1);
    const auto& repairs = report.diagnostics[0].repairs;
    REQUIRE((repairs.size() == 1 || repairs.size() == 2));
    CHECK(report.diagnostics[0].help.ends_with("; then all rates fit"));
    CHECK(!has_code(check_of(linked(3, links), repairs), "inconsistent-rates"));
    if (repairs.size() == 2) {
      for (const auto& one : repairs) {
        CHECK(has_code(check_of(linked(3, links), {one}), "inconsistent-rates"));
      }
    }
  }
  CHECK(solvable > 100);
}

TEST_CASE("where one rate was changed, one that is changed makes all fit again") {
  int spoiled = 0;
  int by_repairs = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    random_graphs::Dice dice(seed);
    auto model = random_graphs::make(dice, {}).model;
    std::vector<Port*> ports;
    for (auto& actor : model.actors) {
      for (auto& port : actor.ports) {
        if (port.rate.phases() == 1 && port.rate.initial_phases() == 0) ports.push_back(&port);
      }
    }
    if (ports.empty()) continue;
    auto& port =
        *ports[static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(ports.size()) - 1))];
    port.rate = port.rate.sum() + 1;
    const auto report = analysis::check_graph(model).report;
    if (!has_code(report, "inconsistent-rates")) continue;
    ++spoiled;
    // One rate is to blame for all that there are, so the first proposal mends all.
    const auto& d = report.diagnostics[0];
    CHECK_MESSAGE(d.help.ends_with("; then all rates fit"), d.help);
    if (d.repairs.empty()) continue;
    ++by_repairs;
    CHECK(!has_code(check_of(model, d.repairs), "inconsistent-rates"));
  }
  CHECK(spoiled > 300);
  CHECK(by_repairs > 200);
}

TEST_CASE("a rate with one phase goes through the others' phases") {
  GraphModel model = linked(2, {{0, 1, 1, 1}, {0, 1, 1, 1}});
  model.actors[0].ports[0].rate = {2, 0, 1};
  model.actors[0].ports[1].rate = 1;
  const auto report = analysis::check_graph(model).report;
  REQUIRE(report.actors.size() == 2);
  CHECK(report.actors[0].repetitions == 1);
  CHECK(report.actors[0].firings == 3);
  CHECK(report.actors[1].firings == 3);
}

TEST_CASE("contradictions that share no channel are reported each") {
  const auto model = linked(
      6, {{0, 1, 1, 1}, {0, 1, 2, 1}, {2, 3, 1, 1}, {2, 3, 1, 2}, {4, 5, 1, 1}, {4, 5, 1, 1}});
  const auto report = analysis::check_graph(model).report;
  CHECK(report.diagnostics.size() == 2);
  CHECK(report.verdict == Verdict::invalid);
}

TEST_CASE("repetitions beyond 2^62 are a diagnosis, and those just below are not") {
  std::vector<Link> links;
  for (std::size_t i = 0; i < 62; ++i) links.push_back({i, i + 1, 2, 1});
  const auto below = analysis::check_graph(linked(63, links)).report;
  REQUIRE(below.actors.size() == 63);
  CHECK(below.actors.back().repetitions == std::int64_t{1} << 62);
  for (std::size_t i = 62; i < 400; ++i) links.push_back({i, i + 1, 2, 1});
  const auto above = analysis::check_graph(linked(401, links)).report;
  CHECK(has_code(above, "repetitions-too-large"));
  CHECK(above.diagnostics.size() == 1);
}

TEST_CASE("the largest rates are exact") {
  const auto most = PhaseSequence::limit;
  const auto report = analysis::check_graph(linked(2, {{0, 1, most, most - 1}})).report;
  CHECK(has_code(report, "repetitions-too-large"));
  const auto same = analysis::check_graph(linked(2, {{0, 1, most, most}})).report;
  CHECK(repetitions(same) == std::vector<std::int64_t>{1, 1});
}

TEST_CASE("large coprime rates far apart do not overflow on the way") {
  // 3^39 and 2^61: each step stays in 62 bits, and what comes out is 1.
  std::vector<Link> links;
  std::size_t at = 0;
  for (int i = 0; i < 39; ++i, ++at) links.push_back({at, at + 1, 3, 1});
  for (int i = 0; i < 39; ++i, ++at) links.push_back({at, at + 1, 1, 3});
  const auto report = analysis::check_graph(linked(at + 1, links)).report;
  REQUIRE(report.actors.size() == at + 1);
  CHECK(report.actors.front().repetitions == 1);
  CHECK(report.actors.back().repetitions == 1);
}
