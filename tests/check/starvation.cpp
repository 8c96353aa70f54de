// Firings that block, and the threads there are.
#include <antiphon/check.hpp>
#include <antiphon/graph.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace antiphon;

namespace {

// read -> work -> write, where `read` and `write` may block.
Graph pipeline(std::int64_t reads, std::int64_t capacity, bool works = true) {
  Graph graph{"g"};
  auto read = graph.cpu(
      "read", [](int&) {}, out<int>("n"));
  auto write = graph.cpu(
      "write", [](const int&) {}, in<int>("n"));
  graph.set(read, {.concurrency = reads, .blocking = true});
  graph.set(write, {.blocking = true});
  if (!works) {
    graph.connect(read["n"], write["n"], {.capacity = capacity});
    return graph;
  }
  auto work = graph.cpu(
      "work", [](const int&, int&) {}, in<int>("x"), out<int>("y"));
  graph.connect(read["n"], work["x"], {.capacity = capacity});
  graph.connect(work["y"], write["n"], {.capacity = capacity});
  return graph;
}

// The least number of threads that will do.
unsigned least_threads(const Graph& graph) {
  unsigned threads = 1;
  while (threads < 100 && check(graph, {.threads = threads}).verdict != Verdict::valid) ++threads;
  return threads;
}

}  // namespace

TEST_CASE("a thread is left for those who do not block") {
  CHECK(least_threads(pipeline(1, 8)) == 3);
  CHECK(least_threads(pipeline(1, 8, false)) == 2);
  CHECK(least_threads(pipeline(4, 8)) == 6);
  // Nobody asks for threads where nobody blocks.
  auto graph = pipeline(4, 8);
  graph.set(graph.actor("read"), {.concurrency = 4});
  graph.set(graph.actor("write"), {});
  CHECK(least_threads(graph) == 1);
}

TEST_CASE("no more firings block than the channels can hold the messages of") {
  CHECK(least_threads(pipeline(10, 3)) == 5);
  CHECK(least_threads(pipeline(0, 3)) == 5);
  Graph rates{"rates"};
  auto a = rates.cpu(
      "a", [](std::span<int>) {}, out<int>("x", {4, 2}));
  auto b = rates.cpu(
      "b", [](const int&) {}, in<int>("x"));
  rates.connect(a["x"], b["x"], {.capacity = 9});
  rates.set(a, {.concurrency = 0, .blocking = true});
  CHECK(least_threads(rates) == 5);
}

TEST_CASE("who may block is told, and how many threads it takes") {
  const auto report = check(pipeline(2, 8), {.threads = 3});
  REQUIRE(report.diagnostics.size() == 1);
  const auto& d = report.diagnostics[0];
  CHECK(d.code == "starved-pool");
  CHECK(d.message ==
        "'read' and 'write' may block 3 threads at once, which leaves none of 3 threads for other "
        "actors");
  CHECK(d.help ==
        "run the graph with 4 threads or more, or let fewer of their firings run at once");
  REQUIRE(d.marks.size() == 2);
  CHECK(d.marks[0].label == "may block in 2 firings at once");
}

TEST_CASE("a graph file says who blocks") {
  const auto read = [](const std::string& flag) {
    return parse_graph("format: 1\ngraph: g\nactors:\n  a: {out: {x: int32}, " + flag +
                           "}\n  b: {in: {x: int32}}\nchannels: [a.x -> b.x]\n",
                       "g.yaml");
  };
  const auto blocks = read("blocking: true");
  CHECK(check(blocks, {.threads = 1}).verdict == Verdict::invalid);
  CHECK(check(blocks, {.threads = 2}).verdict == Verdict::valid);
  CHECK(check(read("blocking: false"), {.threads = 1}).verdict == Verdict::valid);
  CHECK(write_graph(blocks).find("    blocking: true\n") != std::string::npos);
  CHECK(write_json(blocks).find("\"blocking\": true") != std::string::npos);
  CHECK(write_sdf3(blocks).lost.size() == write_sdf3(read("blocking: false")).lost.size() + 1);
}

TEST_CASE("only actors on the CPU block, and only those that are there") {
  Graph graph{"g"};
  auto k = graph.gpu("k", Kernel::from_glsl("", "k.comp"), out<int>("x"));
  CHECK_THROWS_WITH_AS(graph.set(k, {.blocking = true}),
                       "actor 'k' runs on the GPU, where nothing blocks a thread", Error);
  Graph other{"other"};
  CHECK_THROWS_WITH_AS(other.set(k, {}), "graph 'other' has no actor 'k' to set", Error);
}
