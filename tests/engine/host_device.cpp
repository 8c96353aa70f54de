// The engine on a device of threads: what it asks of a device, and what it does when the device
// fails. The thread sanitizer sees all of it.
#include "device/host/host_device.hpp"
#include "check/check_graph.hpp"
#include "engine/execution.hpp"
#include "plan/placed.hpp"

#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <kernels/add.hpp>
#include <kernels/double_each.hpp>
#include <kernels/triple.hpp>

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace antiphon;
using device::Barrier;
namespace host = device::host;

namespace {

const auto both_orders = {Order::overlapped, Order::sequential};

using Windows = std::span<const std::span<std::byte>>;

int read(std::span<std::byte> window, std::size_t i) {
  int value = 0;
  std::memcpy(&value, window.data() + i * sizeof value, sizeof value);
  return value;
}

void write(std::span<std::byte> window, std::size_t i, int value) {
  std::memcpy(window.data() + i * sizeof value, &value, sizeof value);
}

host::Function times(int factor) {
  return [factor](Windows windows, std::array<std::uint32_t, 3>) {
    for (std::size_t i = 0; i < windows[1].size() / sizeof(int); ++i) {
      write(windows[1], i, factor * read(windows[0], i));
    }
  };
}

void add(Windows windows, std::array<std::uint32_t, 3>) {
  for (std::size_t i = 0; i < windows[2].size() / sizeof(int); ++i) {
    write(windows[2], i, read(windows[0], i) + read(windows[1], i));
  }
}

// source -> twice and triple -> sum -> sink: sink sees 5 n.
Graph diamond(const std::shared_ptr<std::vector<int>>& seen) {
  Graph graph{"diamond"};
  auto source = graph.cpu(
      "source", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  auto triple = graph.gpu("triple", Kernel{triple_spirv}, in<int>("x"), out<int>("y"));
  auto sum = graph.gpu("sum", Kernel{add_spirv}, in<int>("a"), in<int>("b"), out<int>("sum"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.connect(source["n"], {twice["x"], triple["x"]}, {.capacity = 2});
  graph.connect(twice["y"], sum["a"], {.capacity = 1});
  graph.connect(triple["y"], sum["b"], {.capacity = 1});
  graph.connect(sum["sum"], sink["n"], {.capacity = 2});
  return graph;
}

struct Bench {
  explicit Bench(host::Faults faults = {}, std::size_t alignment = 1)
      : device(host::open({.kernels = {{"twice", times(2)}, {"triple", times(3)}, {"sum", add}},
                           .profile = {.name = "host",
                                       .driver = "threads",
                                       .storage_offset_alignment = alignment,
                                       .features = {"timelineSemaphore"}},
                           .faults = faults})
                   .value_or_throw()) {}

  Report refused(const Graph& graph) const {
    auto outcome = analysis::check_graph(graph.model());
    REQUIRE(outcome.graph);
    auto placed = plan::place(outcome.graph, device);
    auto* unplaced = std::get_if<plan::Unplaced>(&placed);
    REQUIRE(unplaced);
    if (unplaced->report) return *unplaced->report;
    Report report;
    report.graph = unplaced->failure.message;
    return report;
  }

  std::shared_ptr<const plan::Placed> place(const Graph& graph) const {
    auto outcome = analysis::check_graph(graph.model());
    REQUIRE(outcome.graph);
    return std::get<0>(plan::place(outcome.graph, device));
  }

  RunReport run(const Graph& graph, RunOptions options) const {
    const bool here = options.order == Order::sequential;
    engine::Execution execution(place(graph), std::move(options), here ? 0 : 3);
    if (here) {
      execution.run_here();
    } else {
      execution.start();
    }
    return execution.wait();
  }

  std::shared_ptr<host::HostDevice> device;
};

}  // namespace

TEST_CASE("a diamond of kernels is right on a device of threads") {
  for (const auto order : both_orders) {
    const Bench bench;
    auto seen = std::make_shared<std::vector<int>>();
    bench.run(diamond(seen), {.iterations = 500, .order = order});
    REQUIRE(seen->size() == 500);
    for (int i = 0; i < 500; ++i) REQUIRE((*seen)[static_cast<std::size_t>(i)] == 5 * i);
  }
}

TEST_CASE("independent firings share a level, dependent ones have one barrier between them") {
  const Bench bench;
  bench.run(diamond(std::make_shared<std::vector<int>>()),
            {.iterations = 20, .order = Order::sequential});
  const auto recorded = bench.device->recorded();
  REQUIRE(recorded.size() == 60);
  for (std::size_t i = 0; i < recorded.size(); i += 3) {
    CAPTURE(i);
    // The first of a level has the barrier before it, the second none: twice and triple do not wait
    // for each other.
    CHECK(recorded[i].kernel != "sum");
    CHECK(recorded[i + 1].kernel != "sum");
    CHECK(recorded[i].kernel != recorded[i + 1].kernel);
    CHECK(recorded[i + 1].before == Barrier::none);
    // They write what the last sum has read, and it is no data that they wait for.
    CHECK(recorded[i].before == (i == 0 ? Barrier::none : Barrier::execution));
    CHECK(recorded[i + 2].kernel == "sum");
    CHECK(recorded[i + 2].before == Barrier::memory);
    CHECK(recorded[i + 2].host_reads);
  }
}

TEST_CASE("windows begin where the device can address them, and come round") {
  for (const std::size_t alignment : {16U, 64U, 256U}) {
    for (const std::int64_t rate : {1, 3, 5}) {
      CAPTURE(alignment);
      CAPTURE(rate);
      const Bench bench({}, alignment);
      auto seen = std::make_shared<std::vector<int>>();
      Graph graph{"rates"};
      auto source = graph.cpu(
          "source", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
      auto twice =
          graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x", rate), out<int>("y", rate));
      auto sink = graph.cpu(
          "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
      graph.connect(source["n"], twice["x"]);
      graph.connect(twice["y"], sink["n"]);
      bench.run(graph, {.iterations = 40});
      REQUIRE(seen->size() == static_cast<std::size_t>(40 * rate));
      for (std::size_t i = 0; i < seen->size(); ++i) CHECK((*seen)[i] == 2 * static_cast<int>(i));
      std::set<std::size_t> different;
      for (const auto& dispatch : bench.device->recorded()) {
        for (const auto offset : dispatch.offsets) {
          CHECK(offset % alignment == 0);
          different.insert(offset);
        }
        CHECK(dispatch.bindings == dispatch.kernel);
      }
      CHECK(different.size() > 1);
    }
  }
}

TEST_CASE("a firing that moves no message through a port touches nobody's messages") {
  for (const auto order : both_orders) {
    const Bench bench({}, 64);
    auto seen = std::make_shared<std::vector<int>>();
    Graph graph{"every other"};
    auto source = graph.cpu(
        "source", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
    // Writes all that it sees, as kernels do, also where it is to send nothing.
    auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y", {1, 0}));
    auto sink = graph.cpu(
        "sink", [seen](std::span<const int> n) { seen->insert(seen->end(), n.begin(), n.end()); },
        in<int>("n", 2));
    graph.connect(source["n"], twice["x"]);
    graph.connect(twice["y"], sink["n"]);
    bench.run(graph, {.iterations = 50, .order = order});
    REQUIRE(seen->size() == 100);
    for (std::size_t i = 0; i < seen->size(); ++i) CHECK((*seen)[i] == 4 * static_cast<int>(i));
  }
}

TEST_CASE("a graph of GPU actors alone runs to its end") {
  for (const auto order : both_orders) {
    for (int turn = 0; turn < 200; ++turn) {
      const Bench bench;
      Graph graph{"alone"};
      auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
      auto triple = graph.gpu("triple", Kernel{triple_spirv}, in<int>("x"), out<int>("y"));
      graph.connect(twice["y"], triple["x"]);
      graph.connect(triple["y"], twice["x"], {.initial = 1});
      const auto report = bench.run(graph, {.iterations = 3, .order = order});
      REQUIRE(report.actors[0].firings == 3);
      REQUIRE(report.actors[1].firings == 3);
    }
  }
}

TEST_CASE("the default dispatch covers a message whose type the other end says") {
  const Bench bench;
  auto graph = parse_graph(
      "format: 1\ngraph: g\nactors:\n  a: {out: {n: \"int32[1000]\"}}\n"
      "  twice: {side: gpu, in: {x: \"int32[1000]\"}, out: {y: {}}}\n"
      "  b: {in: {n: \"int32[1000]\"}}\n"
      "channels:\n  - a.n -> twice.x\n  - twice.y -> b.n\n",
      "g.yaml");
  using Block = std::array<int, 1000>;
  graph.bind("a", [](Block& n) { n.fill(1); });
  graph.bind("twice", Kernel{double_each_spirv});
  graph.bind("b", [](const Block& n) { CHECK(n[999] == 2); });
  bench.run(graph, {.iterations = 2});
  const auto recorded = bench.device->recorded();
  REQUIRE(recorded.size() == 2);
  const auto per_group = 8U;  // of double_each
  CHECK(recorded[0].groups[0] == (1000 + per_group - 1) / per_group);
}

TEST_CASE(
    "a submit that fails ends the run with its reason, and nothing waits for what was never "
    "promised") {
  for (const auto order : both_orders) {
    for (const std::uint64_t nth : {1U, 2U, 17U}) {
      const Bench bench(host::Faults{.failing_submit = nth});
      auto seen = std::make_shared<std::vector<int>>();
      try {
        bench.run(diamond(seen), {.order = order});
        FAIL("the run did not fail");
      } catch (const RunFailed& failure) {
        CHECK(failure.kind() == ErrorKind::out_of_memory);
        CHECK_FALSE(failure.actor().empty());
      }
      for (std::size_t i = 0; i < seen->size(); ++i) REQUIRE((*seen)[i] == 5 * static_cast<int>(i));
    }
  }
}

TEST_CASE("a lost device ends the run and says so") {
  for (const auto order : both_orders) {
    for (const std::uint64_t nth : {1U, 2U, 25U}) {
      const Bench bench(host::Faults{.losing_batch = nth});
      auto seen = std::make_shared<std::vector<int>>();
      try {
        bench.run(diamond(seen), {.order = order});
        FAIL("the run did not fail");
      } catch (const RunFailed& failure) {
        CHECK(failure.kind() == ErrorKind::device_lost);
        CHECK_FALSE(failure.actor().empty());
      }
      for (std::size_t i = 0; i < seen->size(); ++i) REQUIRE((*seen)[i] == 5 * static_cast<int>(i));
    }
  }
}

TEST_CASE("a ring that finds no memory fails before anything runs and names its channel") {
  for (const std::uint64_t nth : {1U, 3U}) {
    const Bench bench(host::Faults{.failing_buffer = nth});
    auto seen = std::make_shared<std::vector<int>>();
    try {
      bench.run(diamond(seen), {.iterations = 1});
      FAIL("the run did not fail");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::out_of_memory);
      const std::string channel = nth == 1 ? "source.n -> twice.x, triple.x" : "triple.y -> sum.b";
      CHECK(std::string(error.what()).find(channel) != std::string::npos);
    }
    CHECK(seen->empty());
  }
}

TEST_CASE("runs are stopped and destroyed at any moment, with work on the device") {
  const Bench bench;
  const auto placed = bench.place(diamond(std::make_shared<std::vector<int>>()));
  for (int i = 0; i < 100; ++i) {
    engine::Execution execution(placed, {}, 3);
    execution.start();
    if (i % 2 == 0) continue;
    execution.request_stop();
    CHECK(execution.wait().outcome == Outcome::stopped);
  }
}
