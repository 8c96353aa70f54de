// Graphs of CPU actors alone: what the model promises, run on workers and in sequence.
#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace antiphon;

namespace {

// A source that counts, `last` messages and then no more.
auto counting_to(int last) {
  return [n = 0, last](int& next) mutable {
    if (n == last) return Flow::done;
    next = n++;
    return Flow::more;
  };
}

std::vector<int> first(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

const auto both_orders = {Order::overlapped, Order::sequential};

}  // namespace

TEST_CASE("messages arrive once, in order, for as many iterations as were asked for") {
  auto seen = std::make_shared<std::vector<int>>();
  Graph graph{"two"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    for (const std::int64_t iterations : {0, 1, 2, 1000}) {
      seen->clear();
      const auto report = runtime.run(plan, {.iterations = iterations, .order = order});
      CHECK(report.outcome == Outcome::completed);
      CHECK(*seen == first(static_cast<int>(iterations)));
      CHECK(report.actors[0].firings == iterations);
      CHECK(report.actors[1].firings == iterations);
    }
  }
}

TEST_CASE("blocked firings leave threads for the others, however many there are") {
  // Each of these sleeps until all have come, so each needs a thread of its own.
  constexpr int sleepers = 12;
  auto all = std::make_shared<std::barrier<>>(sleepers);
  auto seen = std::make_shared<std::atomic<int>>(0);
  Graph graph{"sleepers"};
  for (int i = 0; i < sleepers; ++i) {
    const auto name = std::to_string(i);
    auto sleeper = graph.cpu(
        "sleeper " + name, [all](int& n) { n = (all->arrive_and_wait(), 1); }, out<int>("n"));
    graph.set(sleeper, {.blocking = true});
    auto sink = graph.cpu(
        "sink " + name, [seen](const int& n) { *seen += n; }, in<int>("n"));
    graph.connect(sleeper["n"], sink["n"]);
  }
  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 20});
  CHECK(*seen == 20 * sleepers);

  Runtime few({.workers = sleepers});
  CHECK_THROWS_AS(few.plan(graph), InvalidGraph);
  Runtime enough({.workers = sleepers + 1});
  *seen = 0;
  enough.run(enough.plan(graph), {.iterations = 20});
  CHECK(*seen == 20 * sleepers);
}

TEST_CASE("a source that is done ends the stream, and every reader ends after its last message") {
  auto seen = std::make_shared<std::vector<int>>();
  Graph graph{"ends"};
  auto count = graph.cpu("count", counting_to(100), out<int>("n"));
  auto twice = graph.cpu(
      "twice", [](const int& n, int& m) { m = 2 * n; }, in<int>("n"), out<int>("m"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.connect(count["n"], twice["n"]);
  graph.connect(twice["m"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    const auto report = runtime.run(plan, {.order = order});
    CHECK(report.outcome == Outcome::ended);
    REQUIRE(seen->size() == 100);
    CHECK(seen->back() == 198);
    CHECK(report.leftovers.empty());
  }
}

TEST_CASE("what a reader can't take before the stream ends is counted") {
  Graph graph{"leftover"};
  auto count = graph.cpu("count", counting_to(10), out<int>("n"));
  auto sums = std::make_shared<std::vector<int>>();
  auto sink = graph.cpu(
      "sink", [sums](std::span<const int> n) { sums->push_back(n[0] + n[1] + n[2]); },
      in<int>("n", 3));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    sums->clear();
    const auto report = runtime.run(plan, {.order = order});
    CHECK(*sums == std::vector<int>{3, 12, 21});
    REQUIRE(report.leftovers.size() == 1);
    CHECK(report.leftovers[0].messages == 1);
    CHECK(report.leftovers[0].channel == "count.n -> sink.n");
  }
}

TEST_CASE("an actor whose readers have all ended ends too") {
  Graph graph{"upstream"};
  // The sink needs both inputs, and one of them ends.
  auto endless = graph.cpu(
      "endless", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto short_one = graph.cpu("short", counting_to(5), out<int>("n"));
  auto pairs = std::make_shared<int>(0);
  auto sink = graph.cpu(
      "sink", [pairs](const int& a, const int& b) { *pairs += a == b ? 1 : 100; }, in<int>("a"),
      in<int>("b"));
  graph.connect(endless["n"], sink["a"]);
  graph.connect(short_one["n"], sink["b"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    *pairs = 0;
    const auto report = runtime.run(plan, {.order = order});
    CHECK(report.outcome == Outcome::ended);
    CHECK(*pairs == 5);
  }
}

TEST_CASE("several readers of one channel each see every message") {
  Graph graph{"fan"};
  auto count = graph.cpu("count", counting_to(500), out<int>("n"));
  auto a = std::make_shared<std::vector<int>>();
  auto b = std::make_shared<std::vector<int>>();
  auto fast = graph.cpu(
      "fast", [a](const int& n) { a->push_back(n); }, in<int>("n"));
  auto pairs = graph.cpu(
      "pairs", [b](std::span<const int> n) { b->insert(b->end(), n.begin(), n.end()); },
      in<int>("n", 2));
  graph.connect(count["n"], {fast["n"], pairs["n"]}, {.capacity = 3});
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    a->clear();
    b->clear();
    runtime.run(plan, {.order = order});
    CHECK(*a == first(500));
    CHECK(*b == first(500));
  }
}

TEST_CASE("feedback with initial messages computes a recurrence") {
  // x(n) = x(n-1) + x(n-2), starting from 0 and 1.
  auto seen = std::make_shared<std::vector<int>>();
  const std::array<int, 2> start{0, 1};
  Graph graph{"fibonacci"};
  auto add = graph.cpu(
      "add", [](const int& old, const int& recent, int& next) { next = old + recent; },
      in<int>("old"), in<int>("recent"), out<int>("next"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  auto split = graph.cpu(
      "split", [](const int& n, int& again, int& shown) { again = shown = n; }, in<int>("n"),
      out<int>("again"), out<int>("shown"));
  graph.connect(add["next"], split["n"]);
  auto older = starting_with(std::span<const int>(start));
  older.capacity = 4;
  auto newer = starting_with(std::span<const int>(start).subspan(1));
  newer.capacity = 3;
  auto twice = graph.cpu(
      "fork", [](const int& n, int& a, int& b) { a = b = n; }, in<int>("n"), out<int>("a"),
      out<int>("b"));
  graph.connect(split["again"], twice["n"]);
  graph.connect(twice["a"], add["old"], older);
  graph.connect(twice["b"], add["recent"], newer);
  graph.connect(split["shown"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    runtime.run(plan, {.iterations = 8, .order = order});
    CHECK(*seen == std::vector<int>{1, 2, 3, 5, 8, 13, 21, 34});
  }
}

TEST_CASE("rates that repeat in cycles after initial phases move what they say") {
  // Sends 1, then 2 and 0 by turns; takes 3 at a time.
  auto sums = std::make_shared<std::vector<int>>();
  const PhaseSequence rate({{1, 1}}, {{1, 2}, {1, 0}});
  Graph graph{"phases"};
  auto source = graph.cpu(
      "source",
      [n = 0](std::span<int> next) mutable {
        for (auto& x : next) x = n++;
      },
      out<int>("n", rate));
  auto sink = graph.cpu(
      "sink",
      [sums](std::span<const int> n) { sums->push_back(std::accumulate(n.begin(), n.end(), 0)); },
      in<int>("n", PhaseSequence({{1, 1}}, {{1, 3}})));
  graph.connect(source["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    sums->clear();
    runtime.run(plan, {.iterations = 2, .order = order});
    CHECK(*sums == std::vector<int>{0, 6, 15, 24, 33});
  }
}

TEST_CASE("a ring whose windows can't be kept whole is realigned by a copy, which the plan shows") {
  auto seen = std::make_shared<std::vector<int>>();
  const std::array<int, 1> start{-1};
  Graph graph{"odd"};
  auto source = graph.cpu(
      "source",
      [n = 0](std::span<int> next) mutable {
        for (auto& x : next) x = n++;
      },
      out<int>("n", 2));
  auto sink = graph.cpu(
      "sink", [seen](std::span<const int> n) { seen->insert(seen->end(), n.begin(), n.end()); },
      in<int>("n", 2));
  graph.connect(source["n"], sink["n"], starting_with(std::span<const int>(start)));
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  CHECK(plan.rings().front().realigned);
  for (const auto order : both_orders) {
    seen->clear();
    const auto report = runtime.run(plan, {.iterations = 50, .order = order});
    REQUIRE(seen->size() == 100);
    CHECK(seen->front() == -1);
    CHECK(seen->back() == 98);
    CHECK(report.actors.size() == 2);
  }
}

TEST_CASE("messages may be of any type that can be constructed") {
  auto seen = std::make_shared<std::vector<std::string>>();
  Graph graph{"strings"};
  auto source = graph.cpu(
      "source", [n = 0](std::string& s) mutable { s = "message number " + std::to_string(n++); },
      out<std::string>("s"));
  auto sink = graph.cpu(
      "sink", [seen](const std::string& s) { seen->push_back(s); }, in<std::string>("s"));
  graph.connect(source["s"], sink["s"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    runtime.run(plan, {.iterations = 40, .order = order});
    REQUIRE(seen->size() == 40);
    CHECK(seen->back() == "message number 39");
  }
}

TEST_CASE("state that can only be moved is made anew for each run") {
  auto last = std::make_shared<int>(0);
  Graph graph{"moved"};
  auto source = graph.cpu(
      "source", make([] { return [n = std::make_unique<int>(0)](int& next) { next = (*n)++; }; }),
      out<int>("n"));
  auto sink = graph.cpu(
      "sink", [last](const int& n) { *last = n; }, in<int>("n"));
  graph.connect(source["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    runtime.run(plan, {.iterations = 7, .order = order});
    CHECK(*last == 6);
  }
}

TEST_CASE("the first failure stops the run and names its actor and firing") {
  Graph graph{"throws"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto picky = graph.cpu(
      "picky",
      [](const int& n, int& m) {
        if (n == 13) throw std::out_of_range("no thirteen here");
        m = n;
      },
      in<int>("n"), out<int>("m"));
  auto seen = std::make_shared<int>(-1);
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { *seen = n; }, in<int>("n"));
  graph.connect(count["n"], picky["n"]);
  graph.connect(picky["m"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    *seen = -1;
    try {
      runtime.run(plan, {.order = order});
      FAIL("the run did not fail");
    } catch (const RunFailed& failure) {
      CHECK(failure.kind() == ErrorKind::actor_failed);
      CHECK(failure.actor() == "picky");
      CHECK(failure.firing() == 13);
      CHECK(std::string(failure.what()) == "actor 'picky' failed in firing 13: no thirteen here");
      CHECK_THROWS_AS(std::rethrow_exception(failure.cause()), std::out_of_range);
    }
    CHECK(*seen <= 12);
  }
}

TEST_CASE("a run that would never end is stopped from outside") {
  Graph graph{"endless"};
  std::stop_source stop;
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto sink = graph.cpu(
      "sink",
      [stop](const int& n) mutable {
        if (n == 1000) stop.request_stop();
      },
      in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    stop = {};
    Graph fresh{"endless"};
    const auto report =
        runtime.run(plan, {.iterations = 100'000, .order = order, .stop = stop.get_token()});
    CHECK(report.outcome == Outcome::completed);  // the plan's own sink asks another stop source
  }
  auto run = runtime.start(plan);
  while (run.progress().firings[1] < 100) std::this_thread::yield();
  run.stop();
  const auto report = run.wait();
  CHECK(report.outcome == Outcome::stopped);
  CHECK(report.actors[1].firings >= 100);
}

TEST_CASE("a stop token ends a run, also one that was stopped before it began") {
  Graph graph{"token"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  std::stop_source stop;
  auto sink = graph.cpu(
      "sink",
      [stop](const int& n) mutable {
        if (n == 500) stop.request_stop();
      },
      in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  const auto report = runtime.run(plan, {.stop = stop.get_token()});
  CHECK(report.outcome == Outcome::stopped);
  CHECK(report.actors[1].firings >= 501);
  for (const auto order : both_orders) {
    const auto none = runtime.run(plan, {.order = order, .stop = stop.get_token()});
    CHECK(none.outcome == Outcome::stopped);
    CHECK(none.actors[0].firings == 0);
  }
}

TEST_CASE("a run may be stopped, or destroyed, at any moment") {
  Graph graph{"again"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  for (int i = 0; i < 100; ++i) {
    auto run = runtime.start(plan);
    if (i % 2 == 0) continue;  // destroyed while it runs
    run.stop();
    CHECK(run.wait().outcome == Outcome::stopped);
  }
}

TEST_CASE("two runs of one plan at once do not disturb each other") {
  auto total = std::make_shared<std::atomic<int>>(0);
  Graph graph{"shared"};
  auto count = graph.cpu("count", counting_to(200), out<int>("n"));
  auto sink = graph.cpu(
      "sink", [total](const int& n) { *total += n; }, in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  auto a = runtime.start(plan);
  auto b = runtime.start(plan);
  a.wait();
  b.wait();
  CHECK(*total == 2 * 199 * 100);
}

TEST_CASE("a graph that can't live, and one with an unbound actor, can't be planned") {
  Graph graph{"stuck"};
  auto a = graph.cpu(
      "a", [](const int& n, int& m) { m = n; }, in<int>("n"), out<int>("m"));
  auto b = graph.cpu(
      "b", [](const int& n, int& m) { m = n; }, in<int>("n"), out<int>("m"));
  graph.connect(a["m"], b["n"]);
  graph.connect(b["m"], a["n"]);
  Runtime runtime;
  CHECK_THROWS_AS(runtime.plan(graph), InvalidGraph);

  const auto loaded = parse_graph(
      "format: 1\ngraph: g\nactors:\n  a: {side: cpu, out: {n: int32}}\n  b: {side: cpu, in: {n: "
      "int32}}\n"
      "channels:\n  - a.n -> b.n\n",
      "g.yaml");
  try {
    runtime.plan(loaded);
    FAIL("planned a graph with unbound actors");
  } catch (const InvalidGraph& invalid) {
    REQUIRE(invalid.report().diagnostics.size() == 2);
    CHECK(invalid.report().diagnostics[0].code == "unbound-actor");
    CHECK(invalid.report().diagnostics[0].message == "actor 'a' has no function to run");
  }
}

TEST_CASE("progress is called while a run goes on, and what it throws fails the run") {
  Graph graph{"progress"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  std::stop_source stop;
  int calls = 0;
  RunOptions options;
  options.stop = stop.get_token();
  options.progress_interval = std::chrono::milliseconds(1);
  options.on_progress = [&](const Progress& progress) {
    CHECK(progress.firings.size() == 2);
    if (++calls == 3) stop.request_stop();
  };
  CHECK(runtime.run(plan, options).outcome == Outcome::stopped);
  CHECK(calls >= 3);

  options.stop = {};
  options.on_progress = [](const Progress&) { throw std::runtime_error("no more"); };
  CHECK_THROWS_WITH_AS(runtime.run(plan, options), "on_progress threw: no more", RunFailed);
}

TEST_CASE("a function that does not fit its ports is refused where it is given") {
  Graph graph{"misfit"};
  CHECK_THROWS_WITH_AS(
      graph.cpu(
          "a", [](const int&) {}, in<int>("n", 2)),
      "port 'a.n' does not move one message in each firing: its parameter must be a "
      "std::span",
      Error);
  CHECK_THROWS_AS(graph.cpu(
                      "b", [](const int&) {}, out<int>("n")),
                  Error);
  CHECK_THROWS_AS(graph.cpu(
                      "c", [](int&) {}, in<int>("n")),
                  Error);
  CHECK_THROWS_AS(graph.cpu(
                      "d", [](const int&) {}, in<std::int64_t>("n")),
                  Error);
  CHECK_THROWS_AS(graph.cpu(
                      "e", [](const int&, const int&) {}, in<int>("n")),
                  Error);
  // Of one size, but not the same.
  CHECK_THROWS_WITH_AS(
      graph.cpu(
          "f", [](const float&) {}, in<int>("n")),
      "port 'f.n' has messages of type int32 (4 bytes), its function's parameter is of float32 (4 "
      "bytes)",
      Error);
  struct Plain {
    char bytes[sizeof(std::string)];
  };
  CHECK_THROWS_AS(graph.cpu(
                      "g", [](const Plain&) {}, in<std::string>("n")),
                  Error);
  CHECK_THROWS_AS(graph.cpu(
                      "h", [](const std::string&) {}, in<Plain>("n")),
                  Error);
  using Counts = std::array<int, 4>;
  graph.cpu(
      "i", [](std::span<const int>) {}, in<Counts>("n"));
  CHECK_THROWS_AS(graph.cpu(
                      "j", [](std::span<const float>) {}, in<Counts>("n")),
                  Error);
}

TEST_CASE("a port of a file takes its type from the function that is bound") {
  auto graph = parse_graph(
      "format: 1\ngraph: words\nactors:\n  say: {out: {word: {}}}\n  hear: {in: {word: " +
          std::to_string(sizeof(std::string)) + " B}}\nchannels:\n  - say.word -> hear.word\n",
      "words.yaml");
  std::vector<std::string> heard;
  // Too long to lie inside the string itself.
  graph.bind("say", [n = 0](std::string& word) mutable {
    word = std::string(100, static_cast<char>('a' + n++ % 26));
  });
  graph.bind("hear", [&heard](const std::string& word) { heard.push_back(word); });
  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 100});
  REQUIRE(heard.size() == 100);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    CHECK(heard[i] == std::string(100, static_cast<char>('a' + i % 26)));
  }
  CHECK_THROWS_AS(graph.bind("hear", [](const int&) {}), Error);
}

TEST_CASE("dots in names do not make one port another's") {
  Graph graph{"dotted"};
  std::vector<int> numbers;
  std::vector<double> halves;
  auto count = graph.cpu(
      "a", [n = 0](int& next) mutable { next = n++; }, out<int>("b.c"));
  auto halve = graph.cpu(
      "a.b", [n = 0](std::array<double, 3>& next) mutable { next.fill(n++ / 2.0); },
      out<std::array<double, 3>>("c"));
  auto sink = graph.cpu(
      "sink",
      [&](const int& n, const std::array<double, 3>& h) {
        numbers.push_back(n);
        halves.push_back(h[0]);
        CHECK(h[2] == h[0]);
      },
      in<int>("n"), in<std::array<double, 3>>("h"));
  graph.connect(count["b.c"], sink["n"]);
  graph.connect(halve["c"], sink["h"]);
  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 50});
  REQUIRE(numbers.size() == 50);
  for (int i = 0; i < 50; ++i) {
    CHECK(numbers[static_cast<std::size_t>(i)] == i);
    CHECK(halves[static_cast<std::size_t>(i)] == i / 2.0);
  }
}

TEST_CASE("an actor may have the name that a copy would get") {
  Graph graph{"named"};
  auto sum = std::make_shared<int>(0);
  auto pairs = graph.cpu(
      "pairs", [](std::span<int> n) { n[0] = n[1] = 1; }, out<int>("n", 2));
  auto other = graph.cpu(
      "copy pairs -> sink.n", [](int& n) { n = 5; }, out<int>("m"));
  auto sink = graph.cpu(
      "sink", [sum](std::span<const int> n, std::span<const int> m) { *sum += n[0] + n[1] + m[0]; },
      in<int>("n", 2), in<int>("m"));
  graph.connect(pairs["n"], sink["n"], {.initial = 1});  // rates 2 and 2: realigned
  graph.connect(other["m"], sink["m"]);
  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 10});
  CHECK(*sum == 19 + 50);
}

TEST_CASE("large windows between CPU actors need no search") {
  constexpr std::int64_t frame = 1920 * 1080 * 3;
  Graph graph{"frames"};
  auto seen = std::make_shared<std::int64_t>(0);
  auto camera = graph.cpu(
      "camera", [](std::span<std::uint8_t> f) { f.back() = 7; }, out<std::uint8_t>("f", frame));
  auto screen = graph.cpu(
      "screen", [seen](std::span<const std::uint8_t> f) { *seen += f.back(); },
      in<std::uint8_t>("f", frame));
  graph.connect(camera["f"], screen["f"]);
  Runtime runtime;
  runtime.run(runtime.plan(graph), {.iterations = 3});
  CHECK(*seen == 21);
}

TEST_CASE("what was moved from is empty or still the same, and nothing falls over it") {
  Graph graph{"moved"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], sink["n"]);
  Runtime runtime;
  auto plan = runtime.plan(graph);

  Graph other = std::move(graph);
  CHECK(graph.name().empty());
  CHECK_THROWS_AS(runtime.plan(graph), InvalidGraph);
  graph = other;
  runtime.plan(graph);

  const auto moved_plan = std::move(plan);
  Runtime moved_runtime = std::move(runtime);
  CHECK(runtime.run(plan, {.iterations = 1}).outcome == Outcome::completed);
  CHECK(moved_runtime.run(moved_plan, {.iterations = 1}).outcome == Outcome::completed);

  auto run = runtime.start(plan);
  auto moved_run = std::move(run);
  run.stop();
  CHECK(run.over());
  CHECK(run.progress().firings.empty());
  CHECK_THROWS_AS(run.wait(), Error);
  moved_run.stop();
  CHECK(moved_run.wait().outcome == Outcome::stopped);
  CHECK(moved_run.wait().outcome == Outcome::stopped);
}

TEST_CASE("a function that can't be made for a run fails it by its name") {
  auto armed = std::make_shared<bool>(false);
  Graph graph{"fails"};
  auto source = graph.cpu("source", make([armed] {
                            if (*armed) throw std::runtime_error("not today");
                            return [](int& n) { n = 1; };
                          }),
                          out<int>("n"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(source["n"], sink["n"]);
  Runtime runtime;
  const auto plan = runtime.plan(graph);
  *armed = true;
  CHECK_THROWS_WITH_AS(
      runtime.run(plan, {.iterations = 1}),
      "actor 'source' failed in firing 0: its function could not be copied: not today", RunFailed);
}
