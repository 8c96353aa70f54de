// What is written is read back as the same graph.
#include "io/support.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

void check_equal(const MessageType& a, const MessageType& b) {
  CHECK(a.name == b.name);
  CHECK(a.size == b.size);
  CHECK(a.alignment == b.alignment);
  CHECK(a.elements == b.elements);
}

void check_equal(const Endpoint& a, const Endpoint& b) {
  CHECK(a.actor == b.actor);
  CHECK(a.port == b.port);
}

// All but functions and places.
void check_equal(const GraphModel& a, const GraphModel& b) {
  CHECK(a.name == b.name);
  CHECK(a.semantics == b.semantics);
  REQUIRE(a.actors.size() == b.actors.size());
  for (std::size_t i = 0; i < a.actors.size(); ++i) {
    const auto& x = a.actors[i];
    const auto& y = b.actors[i];
    CAPTURE(x.name);
    CHECK(x.name == y.name);
    CHECK(x.side == y.side);
    CHECK(x.concurrency == y.concurrency);
    CHECK(x.cost == y.cost);
    CHECK(x.kernel_file == y.kernel_file);
    REQUIRE(x.ports.size() == y.ports.size());
    for (std::size_t p = 0; p < x.ports.size(); ++p) {
      CHECK(x.ports[p].direction == y.ports[p].direction);
      CHECK(x.ports[p].name == y.ports[p].name);
      CHECK(x.ports[p].rate == y.ports[p].rate);
      check_equal(x.ports[p].type, y.ports[p].type);
    }
    if (x.kernel_file.empty()) continue;
    REQUIRE(y.kernel);
    CHECK(x.kernel->file() == y.kernel->file());
    CHECK(x.kernel->entry() == y.kernel->entry());
    CHECK(x.kernel->groups() == y.kernel->groups());
    CHECK(x.kernel->constants() == y.kernel->constants());
  }
  REQUIRE(a.channels.size() == b.channels.size());
  for (std::size_t i = 0; i < a.channels.size(); ++i) {
    const auto& x = a.channels[i];
    const auto& y = b.channels[i];
    CAPTURE(display_name(x));
    CHECK(x.name == y.name);
    check_equal(x.from, y.from);
    REQUIRE(x.to.size() == y.to.size());
    for (std::size_t r = 0; r < x.to.size(); ++r) check_equal(x.to[r], y.to[r]);
    CHECK(x.capacity == y.capacity);
    CHECK(x.initial == y.initial);
    CHECK(x.initial_values == y.initial_values);
    check_equal(x.type, y.type);
  }
}

void check_round_trip(const Graph& graph) {
  const auto text = write_graph(graph);
  CAPTURE(text);
  check_equal(graph.model(), read(text));
}

template <typename T>
std::vector<std::byte> bytes(const std::vector<T>& values) {
  std::vector<std::byte> result(values.size() * sizeof(T));
  std::memcpy(result.data(), values.data(), result.size());
  return result;
}

struct Pixel {
  float red, green, blue;
};

}  // namespace

TEST_CASE("the first program's graph is written as the documentation writes it") {
  Graph graph{"hello"};
  const std::array<std::uint32_t, 1> spirv{0};
  auto count = graph.cpu(
      "count", [n = 0](int& next) mutable { next = n++; }, out<int>("n"));
  auto square = graph.gpu("square", Kernel{spirv}, in<int>("x"), out<int>("y"));
  auto print = graph.cpu(
      "print", [](const int&) {}, in<int>("n"));
  graph.connect(count["n"], square["x"]);
  graph.connect(square["y"], print["n"], {.capacity = 4, .initial = 1});
  CHECK(write_graph(graph) ==
        "format: 1\n"
        "graph: hello\n"
        "actors:\n"
        "  count:\n"
        "    side: cpu\n"
        "    out: {n: int32}\n"
        "  square:\n"
        "    side: gpu\n"
        "    x-kernel: bound in code\n"
        "    in: {x: int32}\n"
        "    out: {y: int32}\n"
        "  print:\n"
        "    side: cpu\n"
        "    in: {n: int32}\n"
        "channels:\n"
        "  - count.n -> square.x\n"
        "  - {from: square.y, to: print.n, capacity: 4, initial: 1}\n");
  check_round_trip(graph);
}

TEST_CASE("a graph built in C++ is read back with its types and rates") {
  Graph graph{"types"};
  auto a = graph.cpu(
      "a", [](std::span<Pixel>, std::span<const std::array<float, 8>>, std::span<double>) {},
      out<Pixel>("pixels", {2, 0}),
      in<std::array<float, 8>>("rows", PhaseSequence({{2, 1}}, {{3, 7}, {1, 0}})),
      out<double>("d", 1'000'000'000'000));
  auto b = graph.cpu(
      "b", [](const std::array<Pixel, 4>&, std::int8_t&) {}, in<std::array<Pixel, 4>>("quad"),
      out<std::int8_t>("byte"));
  graph.connect(a["pixels"], {b["quad"], a["rows"]});
  graph.connect(b["nowhere"], a["nothing"], {.capacity = 0, .initial = 7});
  check_round_trip(graph);
}

TEST_CASE("everything that the format can say comes back") {
  const auto model = read(graph(
      "types: {thing: {a: int8, b: int64}}\n"
      "actors:\n"
      "  \"a.b, c\":\n"
      "    side: gpu\n"
      "    kernel: \"folder/my kernel.comp\"\n"
      "    groups: [1, 2, 3]\n"
      "    constants: {0: 1.5, 7: true}\n"
      "    entry: go\n"
      "    cost: {initial: [1 s], then: [3*2 ms, 5 ns]}\n"
      "    concurrency: unlimited\n"
      "    ports: [{in: x, type: thing}, {out: y, type: \"thing[3]\", rate: [1, 2]}, {in: x}]\n"
      "  \"null\": {concurrency: 3, out: {\"true\": 3 B, \"~\": \"24 B align 8 [2]\"}, in: {\"- "
      "x\": "
      "{}}}\n"
      "  \"quote\\\" back\\\\slash é\": {in: {p: {type: {elements: 5}}}}\n"
      "channels:\n"
      "  - {from: {actor: \"a.b, c\", port: y}, to: {actor: \"null\", port: \"- x\"}, name: \"#1: "
      "x\"}\n"
      "  - {from: a.x, to: [b.y, c.z], type: \"uint8[4]\", values: [[1, 2, 3, 4], 7]}\n"
      "  - {from: a.x, to: [], capacity: 3}\n"));
  check_round_trip(Graph(model));
}

TEST_CASE("initial values come back bit for bit") {
  Graph graph{"values"};
  auto a = graph.cpu(
      "a", [](float&, double&, std::uint64_t&, Pixel&) {}, out<float>("f"), out<double>("d"),
      out<std::uint64_t>("u"), out<Pixel>("p"));
  auto b = graph.cpu(
      "b", [](const float&, const double&, const std::uint64_t&, const Pixel&) {}, in<float>("f"),
      in<double>("d"), in<std::uint64_t>("u"), in<Pixel>("p"));
  const std::vector<float> floats{0.1F,
                                  -0.0F,
                                  std::numeric_limits<float>::denorm_min(),
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
  graph.connect(a["f"], b["f"], starting_with(std::span(floats)));
  const std::vector<double> doubles{0.1, 1e300, -5e-324, 1.0 / 3};
  graph.connect(a["d"], b["d"], starting_with(std::span(doubles)));
  const std::vector<std::uint64_t> odd_nan{0x7FF8000000000001U};
  graph.connect(a["d"], b["d"], {.initial = 1, .initial_values = bytes(odd_nan)});
  const std::vector<std::uint64_t> integers{0, UINT64_MAX, 1U << 31U};
  graph.connect(a["u"], b["u"], starting_with(std::span(integers)));
  const std::vector<Pixel> pixels{{1, 2, 3}, {4, 5, 6}};
  graph.connect(a["p"], b["p"], starting_with(std::span(pixels)));
  const std::vector<float> many(2'000, 0.25F);
  graph.connect(a["f"], b["f"], starting_with(std::span(many)));
  // What does not fit is for the check to tell; it must still be written.
  graph.connect(a["f"], b["f"], {.initial = 3, .initial_values = std::vector<std::byte>(2)});
  graph.connect(a["nowhere"], b["f"], starting_with(std::span(doubles)));
  check_round_trip(graph);
}

TEST_CASE("all halves come back") {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits)
    halves.push_back(static_cast<std::uint16_t>(bits));
  const auto one = read(graph(
      "actors: {a: {out: {x: float16}}, b: {in: {y: float16}}}\nchannels:\n  - a.x -> b.y\n"));
  auto model = one;
  model.channels.clear();
  for (std::size_t begin = 0; begin < halves.size(); begin += 1024) {
    auto channel = one.channels[0];
    channel.initial = 1024;
    channel.initial_values = bytes(
        std::vector<std::uint16_t>(halves.begin() + static_cast<std::ptrdiff_t>(begin),
                                   halves.begin() + static_cast<std::ptrdiff_t>(begin + 1024)));
    model.channels.push_back(channel);
  }
  check_round_trip(Graph(model));
}

TEST_CASE("two actors of one name are written, for the check to tell") {
  Graph graph{"twice"};
  graph.cpu(
      "a", [](int&) {}, out<int>("x"));
  graph.cpu(
      "a", [](const int&) {}, in<int>("x"));
  check_round_trip(graph);
}

TEST_CASE("an empty graph is written and read") {
  check_round_trip(Graph{"nothing"});
  check_round_trip(Graph{""});
}

TEST_CASE("a kernel file that was named in code is written as it was named") {
  Graph graph{"kernels"};
  graph.gpu("a", Kernel::from_file("shaders/a.comp").groups(4).constant(1, 7), out<int>("x"));
  const auto model = read(write_graph(graph));
  CHECK(model.actors[0].kernel_file == "shaders/a.comp");
  CHECK(*model.actors[0].kernel->groups() == std::array<std::uint32_t, 3>{4, 1, 1});
}

TEST_CASE("a name that is no UTF-8 cannot be written") {
  CHECK_THROWS_AS(write_graph(Graph{"\xFF"}), Error);
}
