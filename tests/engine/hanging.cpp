// Functions and kernels that do not end: the run does.
#include "check/check_graph.hpp"
#include "device/host/host_device.hpp"
#include "engine/execution.hpp"
#include "plan/placed.hpp"

#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <kernels/double_each.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

using namespace antiphon;
using namespace std::chrono_literals;
namespace host = device::host;

namespace {

// What a function waits at that is to hang for as long as a test likes. Nothing that hung is ever
// destroyed, so it is let go in the end and finds all that it needs.
class Door {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    condition_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool open_ = false;  // guarded by mutex_
};

// Opens it whatever happens in the test.
struct Opener {
  std::shared_ptr<Door> door;
  ~Opener() { door->open(); }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a function that does not end is named, beside a part that goes on") {
  const Opener opener{std::make_shared<Door>()};
  Graph graph{"two parts"};
  auto source = graph.cpu(
      "source", [n = 0](int& x) mutable { x = n++; }, out<int>("x"));
  auto stuck = graph.cpu(
      "stuck",
      [door = opener.door](const int& x, int& y) {
        if (x == 3) door->wait();
        y = x;
      },
      in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("y"));
  auto live = graph.cpu(
      "live", [n = 0](int& x) mutable { x = n++; }, out<int>("x"));
  auto reader = graph.cpu(
      "reader", [](const int&) {}, in<int>("x"));
  graph.connect(source["x"], stuck["x"], {.capacity = 2});
  graph.connect(stuck["y"], sink["y"], {.capacity = 2});
  graph.connect(live["x"], reader["x"], {.capacity = 2});
  Runtime runtime({.workers = 3});
  const auto plan = runtime.plan(graph);
  try {
    runtime.run(plan, {.patience = 200ms});
    FAIL("it ended");
  } catch (const Hung& hung) {
    CHECK(hung.kind() == ErrorKind::hung);
    CHECK(hung.actor() == "stuck");
    CHECK(hung.firing() == 3);
    CHECK(has(hung.what(), "has not ended for 200 ms"));
    CHECK(has(hung.what(), "'sink'"));
  }
  // The next run has threads of its own.
  CHECK_THROWS_AS(runtime.run(plan, {.patience = 50ms}), Hung);
}

TEST_CASE("a run that hangs can be dropped, waited for again and asked") {
  const Opener opener{std::make_shared<Door>()};
  Graph graph{"stuck"};
  auto source = graph.cpu(
      "source", [door = opener.door](int& x) { door->wait(), x = 0; }, out<int>("x"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("x"));
  graph.connect(source["x"], sink["x"]);
  Runtime runtime({.workers = 2});
  const auto plan = runtime.plan(graph);
  auto run = runtime.start(plan, {.patience = 50ms});
  CHECK_THROWS_AS(run.wait(), Hung);
  CHECK_THROWS_AS(run.wait(), Hung);
  CHECK(run.over());
  CHECK(run.progress().firings == std::vector<std::int64_t>{0, 0});
  run.stop();
  // Dropped while it hangs, without a wait.
  const auto dropped = runtime.start(plan, {.patience = 50ms});
}

TEST_CASE("who may block is not accused, until the run is to stop") {
  const Opener opener{std::make_shared<Door>()};
  const auto entered = std::make_shared<Door>();
  Graph graph{"patient"};
  auto source = graph.cpu(
      "source",
      [entered, door = opener.door](int& x) {
        entered->open();
        door->wait();
        x = 0;
      },
      out<int>("x"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("x"));
  graph.set(source, {.blocking = true});
  graph.connect(source["x"], sink["x"]);
  // Something else whose time passes: so many of its firings, each longer than the patience.
  auto clock = graph.cpu(
      "clock",
      [](int& x) {
        const auto until = std::chrono::steady_clock::now() + 2ms;
        while (std::chrono::steady_clock::now() < until) {
        }
        x = 0;
      },
      out<int>("x"));
  auto ticks = graph.cpu(
      "ticks", [](const int&) {}, in<int>("x"));
  graph.connect(clock["x"], ticks["x"], {.capacity = 1});
  Runtime runtime({.workers = 3});
  const auto plan = runtime.plan(graph);
  auto run = runtime.start(plan, {.patience = 100ms});
  entered->wait();
  while (run.progress().firings[3] < 150) CHECK_FALSE(run.over());
  run.stop();
  try {
    run.wait();
    FAIL("it ended");
  } catch (const Hung& hung) {
    CHECK(hung.actor() == "source");
  }
}

TEST_CASE("a firing that takes its time within the patience is left alone") {
  Graph graph{"slow"};
  auto source = graph.cpu(
      "source",
      [](int& x) {
        const auto until = std::chrono::steady_clock::now() + 30ms;
        while (std::chrono::steady_clock::now() < until) {
        }
        x = 0;
      },
      out<int>("x"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("x"));
  graph.connect(source["x"], sink["x"]);
  Runtime runtime({.workers = 2});
  CHECK(runtime.run(runtime.plan(graph), {.iterations = 10, .patience = 5s}).outcome ==
        Outcome::completed);
  CHECK(runtime.run(runtime.plan(graph), {.iterations = 3, .patience = 0ms}).outcome ==
        Outcome::completed);
}

TEST_CASE("a kernel that does not end is named, and its device is left alone from then on") {
  const Opener opener{std::make_shared<Door>()};
  const auto device =
      host::open({.kernels = {{"twice", [door = opener.door](
                                            std::span<const std::span<std::byte>>,
                                            std::array<std::uint32_t, 3>) { door->wait(); }}}})
          .value_or_throw();
  Graph graph{"stuck kernel"};
  auto source = graph.cpu(
      "source", [](int& x) { x = 0; }, out<int>("x"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("y"));
  graph.connect(source["x"], twice["x"], {.capacity = 2});
  graph.connect(twice["y"], sink["y"], {.capacity = 2});
  const auto outcome = analysis::check_graph(graph.model());
  const auto placed = std::get<0>(plan::place(outcome.graph, device));
  for (const auto order : {Order::overlapped, Order::sequential}) {
    const bool here = order == Order::sequential;
    auto execution = std::make_unique<engine::Execution>(
        placed, RunOptions{.order = order, .patience = 100ms}, here ? 0U : 2U);
    if (here) {
      execution->run_here();
    } else {
      execution->start();
    }
    try {
      execution->wait();
      FAIL("it ended");
    } catch (const Hung& hung) {
      CHECK(hung.actor() == "twice");
      CHECK(hung.firing() == 0);
      CHECK(has(hung.what(), "'sink'"));
    }
    CHECK(device->abandoned());
    engine::Execution::retire_whole(std::move(execution));
  }
}
