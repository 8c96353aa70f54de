// Graphs with GPU actors, on whatever Vulkan device is here, validation layers on.
#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <kernels/add.hpp>
#include <kernels/double_each.hpp>
#include <kernels/triple.hpp>

#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

const auto both_orders = {Order::overlapped, Order::sequential};

Runtime validated() {
  return Runtime({.validation = true});
}

}  // namespace

TEST_CASE("a message goes from the CPU to the GPU and back") {
  auto seen = std::make_shared<std::vector<int>>();
  Graph graph{"there and back"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.connect(count["n"], twice["x"]);
  graph.connect(twice["y"], sink["n"]);
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    const auto report = runtime.run(plan, {.iterations = 300, .order = order});
    REQUIRE(seen->size() == 300);
    for (int i = 0; i < 300; ++i) REQUIRE((*seen)[static_cast<std::size_t>(i)] == 2 * i);
    CHECK(report.actors[1].firings == 300);
    CHECK(report.actors[1].busy.count() > 0);
  }
}

TEST_CASE("kernels in a row, a diamond and large messages stay right while everything overlaps") {
  using Block = std::array<int, 1024>;
  auto wrong = std::make_shared<int>(0);
  auto blocks = std::make_shared<int>(0);
  Graph graph{"diamond"};
  auto source = graph.cpu(
      "source",
      [n = 0](Block& block) mutable {
        if (n == 200) return Flow::done;
        std::iota(block.begin(), block.end(), 10 * n++);
        return Flow::more;
      },
      out<Block>("b"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<Block>("x"), out<Block>("y"));
  auto triple = graph.gpu("triple", Kernel{triple_spirv}, in<Block>("x"), out<Block>("y"));
  auto add = graph.gpu("add", Kernel{add_spirv}, in<Block>("a"), in<Block>("b"), out<Block>("sum"));
  auto sink = graph.cpu(
      "sink",
      [wrong, blocks, n = 0](const Block& block) mutable {
        for (std::size_t i = 0; i < block.size(); ++i) {
          if (block[i] != 5 * (10 * n + static_cast<int>(i))) ++*wrong;
        }
        ++n;
        ++*blocks;
      },
      in<Block>("b"));
  graph.connect(source["b"], {twice["x"], triple["x"]}, {.capacity = 3});
  graph.connect(twice["y"], add["a"], {.capacity = 2});
  graph.connect(triple["y"], add["b"]);
  graph.connect(add["sum"], sink["b"], {.capacity = 2});
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    *blocks = 0;
    const auto report = runtime.run(plan, {.order = order});
    CHECK(report.outcome == Outcome::ended);
    CHECK(*blocks == 200);
    CHECK(*wrong == 0);
  }
}

TEST_CASE("GPU actors take and make several messages in a firing") {
  auto seen = std::make_shared<std::vector<int>>();
  Graph graph{"rates"};
  auto source = graph.cpu(
      "source", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x", 6), out<int>("y", 6));
  auto triple = graph.gpu("triple", Kernel{triple_spirv}, in<int>("x", 4), out<int>("y", 4));
  auto sink = graph.cpu(
      "sink", [seen](std::span<const int> n) { seen->insert(seen->end(), n.begin(), n.end()); },
      in<int>("n", 3));
  graph.connect(source["n"], twice["x"]);
  graph.connect(twice["y"], triple["x"]);
  graph.connect(triple["y"], sink["n"]);
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    runtime.run(plan, {.iterations = 20, .order = order});
    REQUIRE(seen->size() == 240);
    for (int i = 0; i < 240; ++i) REQUIRE((*seen)[static_cast<std::size_t>(i)] == 6 * i);
  }
}

TEST_CASE("feedback on the device carries its state from firing to firing") {
  // sum(n) = sum(n-1) + n, the sum staying on the device.
  auto seen = std::make_shared<std::vector<int>>();
  Graph graph{"state"};
  auto source = graph.cpu(
      "source", [n = 0](int& next) mutable { next = ++n; }, out<int>("n"));
  auto add = graph.gpu("add", Kernel{add_spirv}, in<int>("a"), in<int>("b"), out<int>("sum"));
  auto sink = graph.cpu(
      "sink", [seen](const int& n) { seen->push_back(n); }, in<int>("n"));
  graph.connect(source["n"], add["a"]);
  graph.connect(add["sum"], {add["b"], sink["n"]}, {.initial = 1});
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    seen->clear();
    runtime.run(plan, {.iterations = 100, .order = order});
    REQUIRE(seen->size() == 100);
    CHECK((*seen)[0] == 0);  // the initial message, which the sink sees too
    for (int i = 0; i < 100; ++i) REQUIRE((*seen)[static_cast<std::size_t>(i)] == i * (i + 1) / 2);
  }
}

TEST_CASE("a round trip of one message through CPU and GPU is right for thousands of turns") {
  auto last = std::make_shared<int>(0);
  const std::array<int, 1> start{1};
  Graph graph{"ring"};
  auto ping = graph.cpu(
      "ping", [last](const int& back, int& there) { *last = there = (back + 1) % 1'000'003; },
      in<int>("back"), out<int>("there"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  graph.connect(ping["there"], twice["x"], {.capacity = 1});
  auto back = starting_with(std::span<const int>(start));
  back.capacity = 1;
  graph.connect(twice["y"], ping["back"], back);
  int expected = 0;
  for (int i = 0, x = 1; i < 3000; ++i) {
    expected = (x + 1) % 1'000'003;
    x = 2 * expected;
  }
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    runtime.run(plan, {.iterations = 3000, .order = order});
    CHECK(*last == expected);
  }
}

TEST_CASE("a failure on the CPU stops a graph with work in flight on the GPU") {
  Graph graph{"fails"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink",
      [](const int& n) {
        if (n == 100) throw std::runtime_error("a hundred");
      },
      in<int>("n"));
  graph.connect(count["n"], twice["x"]);
  graph.connect(twice["y"], sink["n"]);
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (const auto order : both_orders) {
    CHECK_THROWS_WITH_AS(runtime.run(plan, {.order = order}),
                         "actor 'sink' failed in firing 50: a hundred", RunFailed);
  }
}

TEST_CASE("a run is stopped, or destroyed, with work in flight") {
  Graph graph{"stops"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x"), out<int>("y"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], twice["x"]);
  graph.connect(twice["y"], sink["n"]);
  auto runtime = validated();
  const auto plan = runtime.plan(graph);
  for (int i = 0; i < 50; ++i) {
    auto run = runtime.start(plan);
    if (i % 2 == 0) continue;
    run.stop();
    CHECK(run.wait().outcome == Outcome::stopped);
  }
}

TEST_CASE("a kernel that does not fit its actor can't be planned") {
  Graph graph{"misfit"};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto add = graph.gpu("add", Kernel{add_spirv}, in<int>("a"), out<int>("sum"));
  auto sink = graph.cpu(
      "sink", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], add["a"]);
  graph.connect(add["sum"], sink["n"]);
  auto runtime = validated();
  try {
    runtime.plan(graph);
    FAIL("planned a kernel with a binding too many");
  } catch (const InvalidGraph& invalid) {
    CHECK(invalid.report().diagnostics.back().code == "kernel-mismatch");
  }
  const std::vector<std::uint32_t> garbage{1, 2, 3};
  Graph broken{"broken"};
  auto source = broken.gpu("source", Kernel{garbage}, out<int>("n"));
  auto end = broken.cpu(
      "end", [](const int&) {}, in<int>("n"));
  broken.connect(source["n"], end["n"]);
  CHECK_THROWS_AS(runtime.plan(broken), Error);
}
