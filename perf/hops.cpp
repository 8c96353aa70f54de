// From actor to actor and back: through the library, and beside it by hand.
#include "measure.hpp"
#include "raw_vulkan.hpp"

#include <antiphon/antiphon.hpp>
#include <kernels/increment.hpp>

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace perf {

namespace {

using namespace antiphon;

constexpr int device_trips = 2000;
constexpr int host_trips = 100'000;

double us(std::chrono::nanoseconds time, int trips) {
  return std::chrono::duration<double, std::micro>(time).count() / trips;
}

void expect(bool right) {
  if (!right) throw std::runtime_error("a wrong answer: the figure would mean nothing");
}

// Where threads lie decides what waking one costs, so it is said, and is the same for both sides. A
// driver's thread stays where the thread that opened the device was allowed to be; so do the
// runtime's workers.
class Placement {
 public:
  explicit Placement(unsigned core) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core % std::max(1U, std::thread::hardware_concurrency()), &only);
    sched_setaffinity(0, sizeof only, &only);
  }
  ~Placement() { sched_setaffinity(0, sizeof before_, &before_); }
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

 private:
  cpu_set_t before_;
};

// ping -> middle -> ping, one message going round: each firing of ping is one round trip.
template <typename AddMiddle>
Graph ring(const std::shared_ptr<int>& last, AddMiddle add_middle) {
  Graph graph{"round trip"};
  const auto ping = graph.cpu(
      "ping", [last](const int& back, int& there) { *last = there = back; }, in<int>("back"),
      out<int>("there"));
  const auto middle = add_middle(graph);
  graph.connect(ping["there"], middle["x"], {.capacity = 1});
  graph.connect(middle["y"], ping["back"], {.capacity = 1, .initial = 1});
  return graph;
}

double run_ring(Runtime& runtime, const Plan& plan, int trips, const int& last) {
  const auto report = runtime.run(plan, {.iterations = trips, .measure = false});
  expect(last == trips - 1);
  return us(report.elapsed, trips);
}

// The device's thread on core 0, where it has one; the host's threads on `host_core`.
Contest device_round_trip(const char* name, unsigned host_core) {
  Contest contest;
  contest.row = {name, "us", true, {}, 1 / 1.25};
  struct State {
    Runtime runtime;
    std::shared_ptr<int> last = std::make_shared<int>(0);
    Plan plan;
    State()
        : plan(runtime.plan(ring(last, [](Graph& graph) {
            return graph.gpu("increment", Kernel{increment_spirv}.groups(1), in<int>("x"),
                             out<int>("y"));
          }))) {}
  };
  const Placement device_core(0);
  contest.ours = [host_core, state = std::make_shared<State>()] {
    const Placement placement(host_core);
    return run_ring(state->runtime, state->plan, device_trips, *state->last);
  };
  contest.other = [host_core, raw = std::make_shared<RawVulkan>(increment_spirv)] {
    const Placement placement(host_core);
    const auto begin = std::chrono::steady_clock::now();
    int value = 0;
    for (int i = 0; i < device_trips; ++i) value = raw->round_trip(value);
    const auto time = std::chrono::steady_clock::now() - begin;
    expect(value == device_trips);
    return us(time, device_trips);
  };
  return contest;
}

// Two threads that hand one number to and fro through two atomics, spinning: no wait can be
// shorter.
double bare_round_trip() {
  alignas(64) std::atomic<int> there{0};
  alignas(64) std::atomic<int> back{0};
  std::thread other([&] {
    for (int i = 1; i <= host_trips; ++i) {
      while (there.load(std::memory_order_acquire) != i) {
      }
      back.store(i, std::memory_order_release);
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= host_trips; ++i) {
    there.store(i, std::memory_order_release);
    while (back.load(std::memory_order_acquire) != i) {
    }
  }
  const auto time = std::chrono::steady_clock::now() - begin;
  other.join();
  return us(time, host_trips);
}

Contest host_round_trip() {
  Contest contest;
  contest.row = {
      "CPU -> CPU -> CPU round trip, beside two threads spinning on atomics", "us", true, {}, {}};
  struct State {
    Runtime runtime;
    std::shared_ptr<int> last = std::make_shared<int>(0);
    Plan plan;
    State()
        : plan(runtime.plan(ring(last, [](Graph& graph) {
            return graph.cpu(
                "increment", [](const int& x, int& y) { y = x + 1; }, in<int>("x"), out<int>("y"));
          }))) {}
  };
  contest.ours = [state = std::make_shared<State>()] {
    return run_ring(state->runtime, state->plan, host_trips, *state->last);
  };
  contest.other = bare_round_trip;
  return contest;
}

}  // namespace

std::vector<Contest> hops() {
  return {
      device_round_trip(
          "CPU -> GPU -> CPU round trip, all on one core, beside raw Vulkan submit and wait", 0),
      device_round_trip(
          "CPU -> GPU -> CPU round trip, device and host on two cores, beside raw Vulkan", 1),
      host_round_trip()};
}

}  // namespace perf
