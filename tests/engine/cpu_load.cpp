// Ten million messages between CPU actors, through feedback: none lost, doubled or out of order.
#include "engine/load.hpp"

#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>

using namespace antiphon;

namespace {

using Word = std::uint64_t;

Word mixed(Word state, Word x) {
  return (state ^ x) * 0x9e3779b97f4a7c15U + 1;
}

}  // namespace

TEST_CASE("ten million messages go through a graph with feedback") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::int64_t messages = 200'000;
#else
  constexpr std::int64_t messages = 10'000'000;
#endif
  const auto witness = std::make_shared<load::Witness>(messages);
  Graph graph{"load"};
  const auto count = graph.cpu(
      "count", [n = Word{0}](Word& x) mutable { x = n++; }, out<Word>("x"));
  const auto mix = graph.cpu(
      "mix",
      [](const Word& x, const Word& state, Word& y, Word& next) {
        next = mixed(state, x);
        y = x;
      },
      in<Word>("x"), in<Word>("state"), out<Word>("y"), out<Word>("next"));
  const auto pass = graph.cpu(
      "pass", [](const Word& state, Word& again) { again = state; }, in<Word>("state"),
      out<Word>("again"));
  const auto sink = graph.cpu(
      "sink",
      [witness, expected = Word{0}, state = Word{1}](const Word& y, const Word& next) mutable {
        if (y != expected) throw std::runtime_error("a message is missing, doubled or late");
        state = mixed(state, expected++);
        if (next != state) throw std::runtime_error("feedback went wrong");
        witness->arrived();
      },
      in<Word>("y"), in<Word>("next"));
  const Word one = 1;
  graph.connect(count["x"], mix["x"], {.capacity = 256});
  graph.connect(mix["y"], sink["y"], {.capacity = 256});
  graph.connect(mix["next"], {pass["state"], sink["next"]}, {.capacity = 256});
  graph.connect(pass["again"], mix["state"], starting_with(std::span(&one, 1)));
  Runtime runtime({.workers = 2});
  const auto report = runtime.run(runtime.plan(graph), {.iterations = messages});
  CHECK(report.actors[3].firings == messages);
  witness->check();
}
