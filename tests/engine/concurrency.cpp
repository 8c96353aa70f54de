// Actors whose firings may run at once: they do, and nobody after them can tell.
#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

// Firings that meet: each waits until so many are inside at once, or it took too long.
class Meeting {
 public:
  explicit Meeting(int size) : size_(size) {}

  // False when the others did not come.
  bool attend() {
    std::unique_lock lock(mutex_);
    const auto mine = ++arrived_;
    const auto all = (mine + size_ - 1) / size_ * size_;
    condition_.notify_all();
    return condition_.wait_for(lock, std::chrono::seconds(20), [&] { return arrived_ >= all; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  int size_;
  int arrived_ = 0;  // guarded by mutex_
};

// Goes on once firing `n` has been told.
class Turns {
 public:
  void tell(int n) {
    const std::lock_guard lock(mutex_);
    told_.push_back(n);
    condition_.notify_all();
  }
  bool wait_for(int n) {
    std::unique_lock lock(mutex_);
    return condition_.wait_for(lock, std::chrono::seconds(20), [&] {
      for (const auto told : told_) {
        if (told == n) return true;
      }
      return false;
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<int> told_;  // guarded by mutex_
};

struct Line {
  Graph graph{"line"};
  std::shared_ptr<std::vector<int>> seen = std::make_shared<std::vector<int>>();
};

// count -> work -> sink, `work` with so many firings at once; a count of -1 goes on for ever.
template <typename F>
Line line(F work, std::int64_t concurrency, int last = -1) {
  Line result;
  auto& graph = result.graph;
  auto count = graph.cpu(
      "count",
      [n = 0, last](int& next) mutable {
        if (n == last) return Flow::done;
        next = n++;
        return Flow::more;
      },
      out<int>("n"));
  auto worker = graph.cpu("work", std::move(work), in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [seen = result.seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.set(worker, {.concurrency = concurrency});
  graph.connect(count["n"], worker["x"], {.capacity = 8});
  graph.connect(worker["y"], sink["n"], {.capacity = 8});
  return result;
}

std::vector<int> squares(int count) {
  std::vector<int> result;
  for (int n = 0; n < count; ++n) result.push_back(n * n);
  return result;
}

}  // namespace

TEST_CASE("firings that may run at once do") {
  const auto meeting = std::make_shared<Meeting>(3);
  auto [graph, seen] = line(
      [meeting](const int& x, int& y) {
        if (!meeting->attend()) throw std::runtime_error("the others did not come");
        y = x * x;
      },
      3);
  Runtime runtime({.workers = 3});
  runtime.run(runtime.plan(graph), {.iterations = 30});
  CHECK(*seen == squares(30));
}

TEST_CASE("a firing that ends before an earlier one is published after it") {
  const auto turns = std::make_shared<Turns>();
  for (const std::int64_t concurrency : {2, 3, 0}) {
    auto [graph, seen] = line(
        [turns](const int& x, int& y) {
          // Even ones end after the odd ones that follow them.
          if (x % 2 == 0 && !turns->wait_for(x + 1)) throw std::runtime_error("never overtaken");
          y = x * x;
          if (x % 2 == 1) turns->tell(x);
        },
        concurrency);
    Runtime runtime({.workers = 4});
    runtime.run(runtime.plan(graph), {.iterations = 40});
    CHECK(*seen == squares(40));
  }
}

TEST_CASE("any number at once, more than there are threads, on one thread and in sequence") {
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const auto order : {Order::overlapped, Order::sequential}) {
      for (const std::int64_t concurrency : {0, 1, 2, 1000}) {
        auto [graph, seen] = line([](const int& x, int& y) { y = x * x; }, concurrency);
        Runtime runtime({.workers = workers});
        const auto report = runtime.run(runtime.plan(graph), {.iterations = 500, .order = order});
        CHECK(*seen == squares(500));
        CHECK(report.actors[1].firings == 500);
      }
    }
  }
}

TEST_CASE("a stream that ends before an actor ends after all of its firings at once") {
  for (int last = 0; last < 20; ++last) {
    auto [graph, seen] = line([](const int& x, int& y) { y = x * x; }, 3, last);
    Runtime runtime({.workers = 4});
    const auto report = runtime.run(runtime.plan(graph));
    CHECK(report.outcome == Outcome::ended);
    CHECK(*seen == squares(last));
  }
}

TEST_CASE(
    "one of several firings at once that throws fails the run, and what came before it counts") {
  for (int failing = 0; failing < 20; ++failing) {
    auto [graph, seen] = line(
        [failing](const int& x, int& y) {
          if (x == failing) throw std::runtime_error("no square of this");
          y = x * x;
        },
        3);
    Runtime runtime({.workers = 4});
    try {
      runtime.run(runtime.plan(graph));
      FAIL("it went on");
    } catch (const RunFailed& failed) {
      CHECK(failed.actor() == "work");
      CHECK(failed.firing() == failing);
    }
    // Never what comes after it, also where that was there earlier.
    REQUIRE(seen->size() <= static_cast<std::size_t>(failing));
    CHECK(*seen == squares(static_cast<int>(seen->size())));
  }
}

TEST_CASE("which of several firings at once would end a stream can't be said") {
  auto [graph, seen] = line(
      [](const int&, int& y) {
        y = 0;
        return Flow::done;
      },
      2);
  Runtime runtime({.workers = 2});
  try {
    runtime.run(runtime.plan(graph));
    FAIL("it went on");
  } catch (const RunFailed& failed) {
    CHECK(failed.kind() == ErrorKind::misuse);
    CHECK(failed.actor() == "work");
    CHECK(std::string(failed.what()).find("can't end its stream") != std::string::npos);
  }
}

TEST_CASE("each of the firings at once has a copy of the function to itself") {
  auto [graph, seen] = line(
      [inside = false](const int& x, int& y) mutable {
        if (inside) throw std::runtime_error("two in one copy");
        inside = true;
        y = x * x;
        inside = false;
      },
      4);
  Runtime runtime({.workers = 4});
  runtime.run(runtime.plan(graph), {.iterations = 2000});
  CHECK(*seen == squares(2000));
}

TEST_CASE("a run of firings at once may be stopped at any moment") {
  for (int round = 0; round < 100; ++round) {
    auto [graph, seen] = line([](const int& x, int& y) { y = x * x; }, 3);
    Runtime runtime({.workers = 3});
    auto run = runtime.start(runtime.plan(graph));
    if (round % 2 == 0) {
      while (run.progress().firings[2] < round && !run.over()) {
      }
    }
    run.stop();
    CHECK(run.wait().outcome == Outcome::stopped);
    CHECK(*seen == squares(static_cast<int>(seen->size())));
  }
}
