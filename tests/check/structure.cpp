// Faults that only graphs built in code can have, and the library's own promises about them.
#include "check/check_graph.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

std::vector<std::string> codes(const Report& report) {
  std::vector<std::string> result;
  for (const auto& d : report.diagnostics) result.emplace_back(d.code);
  return result;
}

using Codes = std::vector<std::string>;

Graph numbers(ChannelOptions options) {
  Graph graph{"numbers"};
  auto a = graph.cpu(
      "a", [](int& n) { n = 1; }, out<int>("n"));
  auto b = graph.cpu(
      "b", [](const int&) {}, in<int>("n"));
  graph.connect(a["n"], b["n"], std::move(options));
  return graph;
}

}  // namespace

TEST_CASE("a graph built in code is shown by names, without a file") {
  Graph graph{"hello"};
  auto a = graph.cpu(
      "count", [](int& n) { n = 1; }, out<int>("n"));
  auto b = graph.cpu(
      "print", [](const float&) {}, in<float>("n"));
  graph.connect(a["n"], b["n"]);
  graph.connect(a["m"], b["n"]);
  CHECK(render_text(check(graph)) ==
        "error[type-mismatch]: the ends of 'count.n -> print.n' do not carry the same messages\n"
        "  --> count.n -> print.n: has int32, needs float32\n"
        "note: 'count.n' has int32\n"
        "note: 'print.n' has float32\n"
        "help: give them the same type, or put an actor between them that converts\n"
        "\n"
        "error[unknown-port]: actor 'count' has no port 'm'\n"
        "  --> count.m -> print.n\n"
        "help: the nearest is 'n'\n"
        "\n"
        "error[port-used-twice]: 'print.n' is the end of more than one channel\n"
        "  --> count.m -> print.n: again here\n"
        "  --> count.n -> print.n: first here\n"
        "help: give 'print' an input for each writer\n"
        "\n"
        "graph 'hello' is invalid: 3 errors\n");
}

TEST_CASE("a type that is more than its bytes stays between CPU actors") {
  Graph graph{"texts"};
  auto a = graph.cpu(
      "a", [](std::string& s) { s = "x"; }, out<std::string>("text"));
  auto b = graph.cpu(
      "b", [](const std::string&) {}, in<std::string>("text"));
  graph.connect(a["text"], b["text"]);
  CHECK(check(graph).verdict == Verdict::valid);

  Graph mixed{"mixed"};
  auto c = mixed.cpu(
      "c", [](std::string& s) { s = "x"; }, out<std::string>("text"));
  auto d = mixed.gpu("d", Kernel::from_file("d.comp"), in<std::string>("text"), out<int>("n"));
  auto e = mixed.cpu(
      "e", [](const int&) {}, in<int>("n"));
  mixed.connect(c["text"], d["text"]);
  mixed.connect(d["n"], e["n"]);
  CHECK(codes(check(mixed)) == Codes{"not-plain"});

  Graph valued{"valued"};
  auto f = valued.cpu(
      "f", [](std::string& s) { s = "x"; }, out<std::string>("text"));
  auto g = valued.cpu(
      "g", [](const std::string&) {}, in<std::string>("text"));
  ChannelOptions options;
  options.initial = 1;
  options.initial_values.resize(sizeof(std::string));
  valued.connect(f["text"], g["text"], options);
  CHECK(codes(check(valued)) == Codes{"not-plain"});
}

TEST_CASE("initial values have the size of the initial messages") {
  const std::array<int, 2> two{1, 2};
  auto options = starting_with<int>(two);
  CHECK(check(numbers(options)).verdict == Verdict::valid);
  options.initial = 3;
  CHECK(codes(check(numbers(options))) == Codes{"bad-values"});
  options.initial = 2;
  options.initial_values.pop_back();
  CHECK(codes(check(numbers(options))) == Codes{"bad-values"});
}

TEST_CASE("negative numbers are faults, not surprises") {
  CHECK(codes(check(numbers({.capacity = -1}))) == Codes{"negative-capacity"});
  CHECK(codes(check(numbers({.initial = -1}))) == Codes{"negative-initial"});
  CHECK(codes(check(numbers({.capacity = INT64_MIN, .initial = INT64_MIN}))) ==
        Codes{"negative-initial", "negative-capacity"});
  CHECK(check(numbers({.initial = INT64_MAX})).verdict == Verdict::valid);
  CHECK(check(numbers({.capacity = INT64_MAX})).verdict == Verdict::valid);
}

TEST_CASE("names are never empty, and a channel leads somewhere") {
  Graph graph{"empty"};
  graph.cpu(
      "", [](int&) {}, out<int>(""));
  graph.connect(Endpoint{"", ""}, std::vector<Endpoint>{});
  CHECK(codes(check(graph)) == Codes{"bad-name", "bad-name", "no-reader"});
}

TEST_CASE("an actor without ports is a graph by itself") {
  Graph graph{"alone"};
  graph.cpu("a", [] {});
  const auto report = check(graph);
  CHECK(report.verdict == Verdict::valid);
  REQUIRE(report.actors.size() == 1);
  CHECK(report.actors[0].firings == 1);
}

TEST_CASE("neither functions nor kernels are asked for: a file has none") {
  GraphModel model;
  model.name = "file";
  ActorModel a;
  a.name = "a";
  a.ports.push_back({Direction::out, "x", 1, message_type<int>()});
  ActorModel b;
  b.name = "b";
  b.side = Side::gpu;
  b.ports.push_back({Direction::in, "x", 1, {}});
  b.ports.push_back({Direction::out, "y", 1, message_type<int>()});
  ActorModel c;
  c.name = "c";
  c.ports.push_back({Direction::in, "y", 1, {}});
  model.actors = {a, b, c};
  ChannelModel x;
  x.from = {"a", "x"};
  x.to = {{"b", "x"}};
  ChannelModel y;
  y.from = {"b", "y"};
  y.to = {{"c", "y"}};
  model.channels = {x, y};
  CHECK(analysis::check_graph(model).report.verdict == Verdict::valid);
}

TEST_CASE("a channel is sized for two firings of each end and its initial messages") {
  Graph graph{"sizes"};
  auto a = graph.cpu(
      "a", [](std::span<int>) {}, out<int>("x", {2, 3}));
  auto b = graph.cpu(
      "b", [](std::span<const int>) {}, in<int>("x", 5));
  auto c = graph.cpu(
      "c", [](std::span<const int>) {}, in<int>("x", 10));
  graph.connect(a["x"], {b["x"], c["x"]}, {.initial = 1});
  const auto report = check(graph);
  REQUIRE(report.channels.size() == 1);
  CHECK(report.channels[0].capacity == 1 + 2 * (3 + 10));
  CHECK(report.channels[0].chosen);
}

TEST_CASE("where the first size is not enough the check finds a larger one") {
  // The far way collects 100 messages before any arrives; the near way has to hold them meanwhile.
  Graph graph{"detour"};
  auto split = graph.cpu(
      "split", [](int&, int&) {}, out<int>("near"), out<int>("far"));
  auto batch = graph.cpu(
      "batch", [](std::span<const int>, std::span<int>) {}, in<int>("x", 100), out<int>("y", 100));
  auto join = graph.cpu(
      "join", [](const int&, const int&) {}, in<int>("near"), in<int>("far"));
  graph.connect(split["near"], join["near"]);
  graph.connect(split["far"], batch["x"]);
  graph.connect(batch["y"], join["far"]);
  const auto report = check(graph);
  REQUIRE(report.verdict == Verdict::valid);
  CHECK(report.channels[0].capacity == 100);
  CHECK(report.channels[0].chosen);
}

TEST_CASE("a channel of very many readers is named by the first of them") {
  ChannelModel channel;
  channel.from = {"a", "x"};
  for (int i = 0; i < 8; ++i) channel.to.push_back({"b" + std::to_string(i), "y"});
  CHECK(display_name(channel) == "a.x -> b0.y, b1.y, b2.y, b3.y, b4.y, b5.y, b6.y, b7.y");
  // Each of them has a fault, whose message names the channel.
  channel.to.resize(100'000, {"c", "z"});
  GraphModel model;
  model.name = "wide";
  model.channels.push_back(channel);
  CHECK(display_name(channel) == "a.x -> b0.y, b1.y, b2.y, b3.y, b4.y, b5.y, b6.y and 99993 more");
  const auto report = analysis::check_graph(model).report;
  REQUIRE(report.diagnostics.size() == 10'000);
  // That there are no actors, and each of 100,001 ends.
  CHECK(report.diagnostics.front().notes.empty());
  CHECK(report.diagnostics.back().notes ==
        std::vector<std::string>{"90002 faults more were found and are not shown"});
  CHECK(render_json(report).size() < 100'000'000);
}

TEST_CASE("many faults are all reported") {
  Graph graph{"many"};
  for (int i = 0; i < 1000; ++i) {
    graph.cpu(
        "a" + std::to_string(i), [](int&) {}, out<int>("x"));
    graph.connect(Endpoint{"a" + std::to_string(i), "x"}, Endpoint{"nobody", "x"});
  }
  CHECK(check(graph).diagnostics.size() == 1000);
}

TEST_CASE("a name that one end says and sizes that others say are held together") {
  const auto three = [](const std::string& channel, const std::string& writer,
                        const std::string& reader) {
    return codes(check(parse_graph(
        "format: 1\nactors:\n  a: {out: {x: {type: " + writer + "}}}\n  b: {in: {x: {type: " +
            reader + "}}}\nchannels:\n  - {from: a.x, to: b.x, type: " + channel + "}\n",
        "g.yaml")));
  };
  CHECK(three("{name: p}", "{name: p, size: 8 B}", "{name: p, size: 8 B}").empty());
  CHECK(three("{name: p}", "{name: p, size: 8 B}", "{name: p, size: 16 B}") ==
        Codes{"type-mismatch"});
  CHECK(three("{name: p}", "{size: 8 B}", "{name: q, size: 8 B}") == Codes{"type-mismatch"});
  CHECK(three("{size: 8 B}", "{name: p}", "{name: q}") == Codes{"type-mismatch"});
  CHECK(three("{}", "{name: p}", "{size: 8 B}").empty());
}

TEST_CASE(
    "C++ types that are more than their bytes are told apart where their sizes are the same") {
  struct Other {
    Other() : text("other") {}
    std::string text;
  };
  static_assert(sizeof(Other) == sizeof(std::string));
  Graph graph{"words"};
  auto a = graph.cpu(
      "a", [](std::string& s) { s = "word"; }, out<std::string>("s"));
  auto b = graph.cpu(
      "b", [](const Other&) {}, in<Other>("s"));
  graph.connect(a["s"], b["s"]);
  CHECK(codes(check(graph)) == Codes{"type-mismatch"});
}

TEST_CASE("an array of arrays is one array") {
  using Row = std::array<float, 640>;
  const auto image = message_type<std::array<Row, 480>>();
  CHECK(image.name == "float32[307200]");
  CHECK(image.elements == 307200);
  struct Pixel {
    std::uint8_t rgb[3];
  };
  const auto pixels = message_type<std::array<std::array<Pixel, 4>, 3>>();
  CHECK(pixels.name.empty());
  CHECK(pixels.elements == 12);
}
