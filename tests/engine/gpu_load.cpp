// A million messages to the GPU and back, of which so many at once may be on the way: none lost,
// doubled or out of order.
#include "engine/load.hpp"

#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <kernels/double_each.hpp>

#include <memory>
#include <span>
#include <stdexcept>

using namespace antiphon;

TEST_CASE("a million messages go to the GPU and back, with feedback") {
  constexpr std::int64_t messages = 1'000'000;
  constexpr std::int64_t together = 50;
  const auto witness = std::make_shared<load::Witness>(messages);
  Graph graph{"load"};
  // Only so many are on the way: each that comes back lets another one go.
  const auto count = graph.cpu(
      "count",
      [n = 0](const int&, std::span<int> x) mutable {
        for (auto& value : x) value = n++;
      },
      in<int>("ticket"), out<int>("x", together));
  const auto twice = graph.gpu("twice", Kernel{double_each_spirv}, in<int>("x", together),
                               out<int>("y", together));
  const auto again = graph.gpu("again", Kernel{double_each_spirv}, in<int>("x", together),
                               out<int>("y", together));
  const auto sink = graph.cpu(
      "sink",
      [witness, expected = 0](std::span<const int> y, int& ticket) mutable {
        for (const auto value : y) {
          if (value != 4 * expected++) throw std::runtime_error("a message is wrong");
        }
        witness->arrived(together);
        ticket = 0;
      },
      in<int>("y", together), out<int>("ticket"));
  graph.connect(count["x"], twice["x"], {.capacity = 4 * together});
  graph.connect(twice["y"], again["x"], {.capacity = 4 * together});
  graph.connect(again["y"], sink["y"], {.capacity = 4 * together});
  graph.connect(sink["ticket"], count["ticket"], {.capacity = 4, .initial = 3});
  Runtime runtime({.workers = 2});
  const auto report = runtime.run(runtime.plan(graph), {.iterations = messages / together});
  CHECK(report.actors[3].firings == messages / together);
  witness->check();
}
