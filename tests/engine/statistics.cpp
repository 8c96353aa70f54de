// What a run says of itself.
#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <memory>

using namespace antiphon;
using namespace std::chrono_literals;

namespace {

void take(std::chrono::nanoseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// source -> middle -> sink with so much time for each firing.
Graph line(std::chrono::nanoseconds source_takes, std::chrono::nanoseconds sink_takes) {
  Graph graph{"line"};
  const auto source = graph.cpu(
      "source",
      [source_takes, n = std::int64_t{0}](std::int64_t& x) mutable {
        take(source_takes);
        x = n++;
      },
      out<std::int64_t>("x"));
  const auto middle = graph.cpu(
      "middle", [](const std::int64_t& x, std::int64_t& y) { y = x; }, in<std::int64_t>("x"),
      out<std::int64_t>("y"));
  const auto sink = graph.cpu(
      "sink", [sink_takes](const std::int64_t&) { take(sink_takes); }, in<std::int64_t>("y"));
  graph.connect(source["x"], middle["x"], {.capacity = 4});
  graph.connect(middle["y"], sink["y"], {.capacity = 6});
  return graph;
}

}  // namespace

TEST_CASE("a slow source leaves the others waiting for data, and channels empty") {
  Runtime runtime({.workers = 2});
  const auto report = runtime.run(runtime.plan(line(2ms, 0ms)), {.iterations = 50});
  REQUIRE(report.actors.size() == 3);
  CHECK(report.actors[0].busy >= 100ms);
  CHECK(report.actors[2].waiting_on_data > 50ms);
  CHECK(report.actors[2].waiting_on_space == 0ms);
  REQUIRE(report.channels.size() == 2);
  CHECK(report.channels[0].name == "source.x -> middle.x");
  CHECK(report.channels[0].capacity == 4);
  CHECK(report.channels[0].messages == 50);
  CHECK(report.channels[0].bytes == 400);
  CHECK(report.channels[0].high_water >= 1);
  CHECK(report.channels[0].high_water <= 4);
}

TEST_CASE("a slow sink leaves the others waiting for room, and channels full") {
  Runtime runtime({.workers = 2});
  const auto report = runtime.run(runtime.plan(line(0ms, 2ms)), {.iterations = 50});
  CHECK(report.actors[0].waiting_on_space > 50ms);
  CHECK(report.actors[2].busy >= 100ms);
  CHECK(report.channels[1].high_water == 6);
  CHECK(report.channels[0].high_water == 4);
}

TEST_CASE("nothing is measured where nobody asks for it, and messages are counted all the same") {
  Runtime runtime({.workers = 2});
  for (const auto order : {Order::overlapped, Order::sequential}) {
    const auto report = runtime.run(runtime.plan(line(0ms, 0ms)),
                                    {.iterations = 50, .order = order, .measure = false});
    for (const auto& actor : report.actors) {
      CHECK(actor.busy == 0ms);
      CHECK(actor.waiting_on_data == 0ms);
      CHECK(actor.waiting_on_space == 0ms);
    }
    for (const auto& channel : report.channels) {
      CHECK(channel.messages == 50);
      CHECK(channel.high_water == 0);
    }
  }
}
