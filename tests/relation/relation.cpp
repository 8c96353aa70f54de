#include "relation/relation.hpp"

#include <antiphon/graph.hpp>

#include <doctest/doctest.h>

using namespace antiphon;
using relation::WaitKind;

namespace {

Graph two_actors(ChannelOptions options) {
  Graph graph{"two"};
  auto p = graph.cpu(
      "p", [](std::span<int>) {}, out<int>("x", 2));
  auto c = graph.cpu(
      "c", [](std::span<const int>) {}, in<int>("x", 3));
  graph.connect(p["x"], c["x"], options);
  return graph;
}

}  // namespace

TEST_CASE("a channel is two inequalities, and an actor is its own neighbour") {
  const auto graph = two_actors({.capacity = 6, .initial = 1});
  const auto r = relation::build(graph.model());
  REQUIRE(r.waits.size() == 4);
  CHECK(r.waits[0].kind == WaitKind::data);
  CHECK(r.waits[0].offset == 1);
  CHECK(r.waits[1].kind == WaitKind::space);
  CHECK(r.waits[1].offset == 5);
  CHECK(r.waits[2].kind == WaitKind::self);

  // c's first firing takes 3: one is there, so the writer must have fired once (2 more).
  CHECK(r.timepoint(r.waits[0], 0) == 1);
  CHECK(r.timepoint(r.waits[0], 1) == 3);
  // p may fire twice (1 + 4 <= 6) before c has fired, the third time needs space from c's first.
  CHECK(r.timepoint(r.waits[1], 1) == 0);
  CHECK(r.timepoint(r.waits[1], 2) == 1);
  CHECK(r.allowed(r.waits[1], 0) == 2);
  CHECK(r.allowed(r.waits[0], 0) == 0);
  CHECK(r.allowed(r.waits[0], 1) == 1);
  // Firing n of a serial actor waits for n ended firings.
  CHECK(r.timepoint(r.waits[2], 5) == 5);
}

TEST_CASE("an unbounded channel makes its writer wait for nobody") {
  const auto graph = two_actors({});
  const auto r = relation::build(graph.model());
  for (const auto& w : r.waits) CHECK(w.kind != WaitKind::space);
}

TEST_CASE("a firing that can never be fed has no timepoint") {
  Graph graph{"none"};
  auto p = graph.cpu(
      "p", [](std::span<int>) {}, out<int>("x", 0));
  auto c = graph.cpu(
      "c", [](const int&) {}, in<int>("x"));
  graph.connect(p["x"], c["x"], {.capacity = 3, .initial = 2});
  const auto r = relation::build(graph.model());
  CHECK(r.timepoint(r.waits[0], 1) == 0);
  CHECK_FALSE(r.timepoint(r.waits[0], 2).has_value());
}
