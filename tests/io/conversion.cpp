// Graphs as JSON and as SDF3: what they say, and that the check says the same of them as before.
#include "check/random_graphs.hpp"
#include "corpus_table.hpp"
#include "io/support.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/check.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

Graph again(const std::string& text) {
  return Graph(read(text, {}, "again"));
}

bool same_repetitions(const Report& a, const Report& b) {
  return std::equal(a.actors.begin(), a.actors.end(), b.actors.begin(), b.actors.end(),
                    [](const ActorFacts& x, const ActorFacts& y) {
                      return x.name == y.name && x.repetitions == y.repetitions &&
                             x.firings == y.firings;
                    });
}

bool same(const Bound& a, const Bound& b) {
  return a.state == b.state && a.period == b.period;
}

// What SDF3 is to keep of a graph that is put together right.
void check_kept_by_sdf3(const Graph& graph) {
  const auto written = write_sdf3(graph);
  CAPTURE(written.text);
  const auto sdf3 = again(written.text);
  const auto before = check(graph);
  const auto after = check(sdf3);
  CHECK(after.verdict == before.verdict);
  CHECK(same_repetitions(before, after));
  // SDF3 again is the same text, and so is it by way of YAML.
  CHECK(write_sdf3(sdf3).text == written.text);
  CHECK(write_sdf3(again(write_graph(sdf3))).text == written.text);
}

void check_kept_by_json(const Graph& graph) {
  const auto text = write_json(graph);
  CAPTURE(text);
  CHECK(nlohmann::json::accept(text));
  CHECK(write_graph(again(text)) == write_graph(graph));
}

// Whether the speed with the given capacities, and without any, could be told apart from before.
void check_bounds(const Graph& graph) {
  const BoundsOptions options{.check_budget = 1'000'000, .budget = 1'000'000};
  const auto& channels = graph.model().channels;
  const bool bounded =
      std::any_of(channels.begin(), channels.end(), [](const auto& c) { return c.capacity; });
  const bool unsaid =
      std::any_of(channels.begin(), channels.end(), [](const auto& c) { return !c.capacity; });
  const bool sdf3 = graph.model().semantics == Semantics::sdf3;
  const auto before = bounds(graph, options);
  const auto after = bounds(again(write_sdf3(graph).text), options);
  CAPTURE(write_graph(graph));
  REQUIRE(after.report.verdict == before.report.verdict);
  if (before.report.verdict != Verdict::valid) return;
  if (sdf3 || !unsaid) CHECK(same(before.given, after.given));
  if (!bounded) CHECK(same(before.unlimited, after.unlimited));
  CHECK(after.actors_without_cost == before.actors_without_cost);
}

const Diagnostic* about(const std::vector<Diagnostic>& lost, const std::string& word) {
  for (const auto& d : lost) {
    if (d.message.find(word) != std::string::npos) return &d;
  }
  return nullptr;
}

}  // namespace

TEST_CASE(
    "a graph as JSON has its keys in order, numbers as numbers, and lines of no great width") {
  const auto model =
      read(graph("actors:\n"
                 "  12: {cost: [2 ms, 3*5 ns], concurrency: 3, out: {x: {type: \"float32[4]\", "
                 "rate: [1, 3*2]}}}\n"
                 "  \"b \\\"q\\\\\": {side: gpu, kernel: \"7\", groups: [1, 2, 3], constants: {0: "
                 "1.5}, in: {y: {}},\n"
                 "           out: {z: int8}}\n"
                 "channels:\n"
                 "  - 12.x -> c.y\n"
                 "  - {from: 12.x, to: [{actor: \"b \\\"q\\\\\", port: y}], capacity: 8, values: "
                 "[[0.1, .inf, -0.0,\n"
                 "     1e+20], 7]}\n"));
  CHECK(write_json(Graph(model)) ==
        R"({
  "format": 1,
  "graph": "g",
  "actors": {
    "12": {
      "side": "cpu",
      "out": {"x": {"type": "float32[4]", "rate": [1, "3*2"]}},
      "cost": ["2 ms", "3*5 ns"],
      "concurrency": 3
    },
    "b \"q\\": {
      "side": "gpu",
      "kernel": "7",
      "groups": [1, 2, 3],
      "constants": {"0": 1069547520},
      "in": {"y": {}},
      "out": {"z": "int8"}
    }
  },
  "channels": [
    "12.x -> c.y",
    {
      "from": "12.x",
      "to": {"actor": "b \"q\\", "port": "y"},
      "capacity": 8,
      "values": [[0.1, ".inf", -0, 1e+20], 7]
    }
  ]
}
)");
  check_kept_by_json(Graph(model));
}

TEST_CASE("a graph as SDF3 says in channels what SDF3's actors and channels cannot") {
  const auto written = write_sdf3(
      Graph(read(graph("actors:\n"
                       "  a: {cost: [2 us, 3 ns], out: {x: {type: int32, rate: [2, 1]}}}\n"
                       "  b: {concurrency: unlimited, in: {y: {type: int32, rate: 3}}}\n"
                       "  c: {concurrency: 2, in: {\"<&\\\"'\": int32}}\n"
                       "channels:\n"
                       "  - {from: a.x, to: [b.y, {actor: c, port: \"<&\\\"'\"}], capacity: 5, "
                       "initial: 1, name: ring}\n"))));
  CHECK(written.text ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<sdf3 type="csdf" version="1.0">
  <applicationGraph name="g">
    <csdf name="g" type="g">
      <actor name="a" type="a">
        <port name="x" type="out" rate="2,1" />
        <port name="x_room" type="in" rate="2,1" />
        <port name="x_2" type="out" rate="2,1" />
        <port name="x_2_room" type="in" rate="2,1" />
        <port name="self_out" type="out" rate="1" />
        <port name="self_in" type="in" rate="1" />
      </actor>
      <actor name="b" type="b">
        <port name="y" type="in" rate="3" />
        <port name="y_room" type="out" rate="3" />
      </actor>
      <actor name="c" type="c">
        <port name="&lt;&amp;&quot;'" type="in" rate="1" />
        <port name="&lt;&amp;&quot;'_room" type="out" rate="1" />
        <port name="self_out" type="out" rate="1" />
        <port name="self_in" type="in" rate="1" />
      </actor>
      <channel name="ring" srcActor="a" srcPort="x" dstActor="b" dstPort="y" size="4" initialTokens="1" />
      <channel name="ring_2" srcActor="a" srcPort="x_2" dstActor="c" dstPort="&lt;&amp;&quot;'" size="4" initialTokens="1" />
      <channel name="concurrency of a" srcActor="a" srcPort="self_out" dstActor="a" dstPort="self_in" initialTokens="1" />
      <channel name="concurrency of c" srcActor="c" srcPort="self_out" dstActor="c" dstPort="self_in" initialTokens="2" />
      <channel name="room of ring" srcActor="b" srcPort="y_room" dstActor="a" dstPort="x_room" initialTokens="4" />
      <channel name="room of ring_2" srcActor="c" srcPort="&lt;&amp;&quot;'_room" dstActor="a" dstPort="x_2_room" initialTokens="4" />
    </csdf>
    <csdfProperties>
      <actorProperties actor="a">
        <processor type="cpu" default="true">
          <executionTime time="2000,3" />
        </processor>
      </actorProperties>
    </csdfProperties>
  </applicationGraph>
</sdf3>
)");
  CHECK(again(written.text).model().actors.size() == 3);
}

TEST_CASE("what SDF3 has no words for is told once for each kind of thing, with its places") {
  const auto lost =
      write_sdf3(
          Graph(read(graph("actors:\n"
                           "  a: {cost: 1 ms, out: {x: int32}}\n"
                           "  b: {side: gpu, kernel: b.comp, in: {x: int32}, out: {y: 8 B}}\n"
                           "  c: {in: {y: 8 B, z: 8 B}, out: {z: 8 B}}\n"
                           "  d: {in: {x: int32}}\n"
                           "channels:\n"
                           "  - {from: a.x, to: [b.x, d.x], values: [1, 2]}\n"
                           "  - {from: b.y, to: c.y, capacity: 3}\n"
                           "  - {from: c.z, to: c.z, initial: 1}\n"))))
          .lost;
  CHECK(lost.size() == 7);
  for (const auto& d : lost) {
    CHECK(d.code == "no-words-for");
    CHECK(d.severity == Severity::warning);
    REQUIRE_FALSE(d.marks.empty());
    CHECK(d.marks[0].place.known());
  }
  const auto told = [&](const std::string& word, std::uint32_t line, std::size_t marks) {
    CAPTURE(word);
    const auto* d = about(lost, word);
    REQUIRE(d != nullptr);
    CHECK(d->marks[0].place.line == line);
    CHECK(d->marks.size() == marks);
  };
  told("GPUs nor kernels: 1 actor lost them", 5, 1);
  told("those of 1 actor are in nanoseconds", 4, 1);
  told("so do 2 channels whose capacity is left", 9, 2);
  told("the capacity of 1 channel is a channel back", 10, 1);
  told("1 channel with several became one for each", 9, 1);
  told("1 channel lost the rest of the type", 9, 1);
  told("1 channel lost the values", 9, 1);

  // Of many, three are shown and the rest counted.
  std::string many = "actors:\n  b: {in: {x: 1 B}}\nchannels:\n";
  for (int i = 0; i < 12; ++i) many += "  - b.x -> b.x\n";
  const auto of_many = write_sdf3(Graph(read(graph(many)))).lost;
  REQUIRE(of_many.size() == 1);
  CHECK(of_many[0].marks.size() == 3);
  CHECK(of_many[0].notes.back() == "9 more are not shown");
}

TEST_CASE("an SDF3 file comes back as it was, and nothing of it is lost") {
  const std::string text =
      "<sdf3 type=\"csdf\"><applicationGraph name=\"app\"><csdf name=\"g\">"
      "<actor name=\"A\"><port name=\"o\" type=\"out\" rate=\"1;2*3,0\"/></actor>"
      "<actor name=\"B\"><port name=\"i\" type=\"in\" rate=\"2\"/></actor>"
      "<channel name=\"c\" srcActor=\"A\" srcPort=\"o\" dstActor=\"B\" dstPort=\"i\" size=\"8\" "
      "initialTokens=\"3\"/></csdf><csdfProperties><actorProperties actor=\"A\"><processor "
      "default=\"true\"><executionTime time=\"7;4,2*5\"/></processor></actorProperties>"
      "</csdfProperties></applicationGraph></sdf3>";
  const auto graph = again(text);
  const auto written = write_sdf3(graph);
  CHECK(written.lost.empty());
  CHECK(write_graph(again(written.text)) == write_graph(graph));
  check_kept_by_json(graph);
}

TEST_CASE("names that are taken already are not taken again") {
  const auto graph = Graph(read(
      io::test::graph("actors:\n"
                      "  a: {out: {x: {}, x_room: {}, self_out: {}}, in: {x_2: {}, self_in: {}}}\n"
                      "  b: {in: {y: {}, z: {}, y_room: {}}, out: {u: {}, v: {}}}\n"
                      "channels:\n"
                      "  - {from: a.x, to: [b.y, b.z], capacity: 2, name: \"room of c\"}\n"
                      "  - {from: a.x_room, to: b.y_room, capacity: 1, name: c}\n"
                      "  - {from: a.self_out, to: a.self_in, initial: 1, name: concurrency of a}\n"
                      "  - {from: b.u, to: a.x_2, initial: 3}\n"
                      "  - {from: b.v, to: [], name: nowhere}\n")));
  const auto model = again(write_sdf3(graph).text).model();
  std::vector<std::string> names;
  for (const auto& channel : model.channels) names.push_back(channel.name);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  for (const auto& actor : model.actors) {
    std::vector<std::string> ports;
    for (const auto& port : actor.ports) ports.push_back(port.name);
    std::sort(ports.begin(), ports.end());
    CHECK(std::adjacent_find(ports.begin(), ports.end()) == ports.end());
  }
}

TEST_CASE("what no SDF3 file can say is refused by its name") {
  Graph graph{"full"};
  auto a = graph.cpu(
      "a", [](int&) {}, out<int>("x"));
  auto b = graph.cpu(
      "b", [](const int&) {}, in<int>("y"));
  graph.connect(a["x"], b["y"], {.capacity = 1, .initial = 2});
  CHECK_THROWS_WITH_AS(write_sdf3(graph),
                       "the channel 'a.x -> b.y' starts with 2 messages and holds 1, and cannot be "
                       "written as SDF3: check the graph first",
                       Error);
  CHECK_THROWS_AS(write_sdf3(Graph{"\xFF"}), Error);
  CHECK_THROWS_AS(write_json(Graph{"\xFF"}), Error);
}

TEST_CASE("random graphs keep verdict, repetitions and bounds in every format") {
  int invalid = 0;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    CAPTURE(seed);
    random_graphs::Dice dice(seed);
    random_graphs::Options options;
    options.bounded = seed % 3 != 0;
    options.plenty = seed % 5 == 0;
    options.semantics = seed % 2 == 0 ? Semantics::antiphon : Semantics::sdf3;
    auto model = random_graphs::make(dice, options).model;
    random_graphs::give_costs(dice, model);
    if (seed % 7 == 0) {
      // Each channel with a bound: then the speed with the given ones is comparable.
      for (auto& channel : model.channels) {
        if (!channel.capacity) channel.capacity = channel.initial + 20;
      }
    }
    const Graph graph(std::move(model));
    check_kept_by_json(graph);
    check_kept_by_sdf3(graph);
    check_bounds(graph);
    invalid += check(graph).verdict == Verdict::invalid ? 1 : 0;
    ++compared;
  }
  CHECK(invalid > compared / 20);
  CHECK(invalid < compared * 19 / 20);
}

TEST_CASE("the check's own cases keep their verdict where SDF3 can say them") {
  int written = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(ANTIPHON_SOURCE_DIR "/tests/check/cases")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    const auto graph = load_graph(entry.path());
    check_kept_by_json(graph);
    const auto report = check(graph);
    const bool rates_or_life =
        std::all_of(report.diagnostics.begin(), report.diagnostics.end(), [](const Diagnostic& d) {
          return d.code.substr(0, 9) == "deadlock-" || d.code == "inconsistent-rates" ||
                 d.code == "one-sided-rate";
        });
    if (!rates_or_life) continue;
    check_kept_by_sdf3(graph);
    ++written;
  }
  CHECK(written >= 10);
}

TEST_CASE("the published graphs keep verdict and repetitions in every format") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  for (auto row : rows) {
    CAPTURE(row["file"]);
    const auto graph = load_graph(corpus::folder() / row["file"]);
    const auto written = write_sdf3(graph);
    CHECK(written.lost.empty());
    CHECK(write_graph(again(written.text)) == write_graph(graph));
    CHECK(write_graph(again(write_json(graph))) == write_graph(graph));
    if (row["consistent"] != "yes" || std::stod(row["firings"]) > 1e6) continue;
    CHECK(same_repetitions(check(graph), check(again(written.text))));
  }
}
