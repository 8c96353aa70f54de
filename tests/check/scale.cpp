// Graphs of a hundred thousand actors take time in proportion to their size. The bounds are several
// times what the check takes: they catch another order of growth, not a slow machine.
#include "check/check_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

GraphModel actors(std::size_t n) {
  GraphModel model;
  model.name = "large";
  model.actors.resize(n);
  for (std::size_t a = 0; a < n; ++a) model.actors[a].name = "actor_" + std::to_string(a);
  return model;
}

void connect(GraphModel& model, std::size_t from, std::size_t to, std::int64_t initial = 0,
             PhaseSequence sends = 1, PhaseSequence takes = 1) {
  auto& writer = model.actors[from];
  auto& reader = model.actors[to];
  ChannelModel channel;
  channel.from = {writer.name, "o" + std::to_string(writer.ports.size())};
  writer.ports.push_back({Direction::out, channel.from.port, std::move(sends), {}});
  channel.to = {{reader.name, "i" + std::to_string(reader.ports.size())}};
  reader.ports.push_back({Direction::in, channel.to[0].port, std::move(takes), {}});
  channel.initial = initial;
  model.channels.push_back(std::move(channel));
}

// On a processor, so that it does not matter what else runs.
Report timed(const std::string& what, const GraphModel& model, double most_s) {
  const auto begin = std::clock();
  auto report = analysis::check_graph(model).report;
  const auto took_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  MESSAGE(what << ": " << took_s * 1000 << " ms");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  CHECK(took_s < most_s);
#else
  (void)most_s;
#endif
  return report;
}

constexpr std::size_t n = 100'000;

}  // namespace

TEST_CASE("a hundred thousand actors and two hundred thousand channels") {
  auto model = actors(n);
  std::mt19937_64 dice(1);
  for (std::size_t a = 1; a < n; ++a) connect(model, dice() % a, a);
  while (model.channels.size() < 2 * n) {
    const auto a = dice() % n;
    const auto b = dice() % n;
    if (a != b) connect(model, std::min(a, b), std::max(a, b));
  }
  CHECK(timed("random", model, 10).verdict == Verdict::valid);
}

TEST_CASE("as many of several rates, whose channels the check has to enlarge until they live") {
  auto model = actors(n);
  std::mt19937_64 dice(1);
  const std::int64_t cycles[] = {1, 2, 3, 4, 6};
  std::vector<std::int64_t> of(n);
  for (auto& c : of) c = cycles[dice() % 5];
  const auto join = [&](std::size_t a, std::size_t b) {
    const auto both = std::lcm(of[a], of[b]);
    connect(model, a, b, 0, both / of[a], both / of[b]);
  };
  for (std::size_t a = 1; a < n; ++a) join(a - 1 - dice() % std::min<std::size_t>(a, 1000), a);
  while (model.channels.size() < 2 * n) {
    const auto a = dice() % n;
    const auto b = dice() % n;
    if (a != b) join(std::min(a, b), std::max(a, b));
  }
  CHECK(timed("rates", model, 15).verdict == Verdict::valid);
}

TEST_CASE("a chain of a hundred thousand actors of many rates") {
  auto model = actors(n);
  for (std::size_t a = 1; a < n; ++a) {
    const bool up = a % 2 == 0;
    connect(model, a - 1, a, 0, up ? 7 : 3, up ? 7 : 3);
  }
  CHECK(timed("chain", model, 10).verdict == Verdict::valid);
}

TEST_CASE("a ring of a hundred thousand actors without a message") {
  auto model = actors(n);
  for (std::size_t a = 0; a < n; ++a) connect(model, a, (a + 1) % n);
  const auto report = timed("ring", model, 20);
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "deadlock-data");
  CHECK(report.diagnostics[0].notes.size() < 20);
  CHECK(report.diagnostics[0].help.find("from 0 to 1; then the graph lives") != std::string::npos);
}

TEST_CASE("one actor with a hundred thousand readers") {
  auto model = actors(n);
  for (std::size_t a = 1; a < n; ++a) connect(model, 0, a);
  CHECK(timed("star", model, 10).verdict == Verdict::valid);
}

TEST_CASE("a hundred thousand deadlocks") {
  auto model = actors(n);
  for (std::size_t a = 0; a + 1 < n; a += 2) {
    connect(model, a, a + 1);
    connect(model, a + 1, a);
  }
  CHECK(timed("pairs", model, 20).diagnostics.size() == n / 2);
}

TEST_CASE("contradicting rates everywhere") {
  auto model = actors(n);
  for (std::size_t a = 1; a < n; ++a) {
    connect(model, a - 1, a);
    connect(model, a - 1, a, 0, 2, 1);
  }
  const auto report = timed("contradictions", model, 10);
  CHECK(report.verdict == Verdict::invalid);
  CHECK(report.diagnostics.size() == 20);
}

TEST_CASE("phases beyond counting are handled by their runs") {
  const std::int64_t many = 1'000'000'000'000;
  auto model = actors(2);
  const PhaseSequence first({}, {{many, 1}, {many, 0}});
  const PhaseSequence then({}, {{many, 0}, {many, 1}});
  connect(model, 0, 1, 0, first, then);
  model.channels[0].capacity = many;
  const auto report = timed("phases", model, 1);
  CHECK(report.verdict == Verdict::valid);
  REQUIRE(report.actors.size() == 2);
  CHECK(report.actors[0].repetitions == 1);
  CHECK(report.actors[0].firings == 2 * many);
}
