// Every construct of the format.
#include "io/support.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

template <typename T>
std::vector<T> values(const ChannelModel& channel) {
  std::vector<T> result(channel.initial_values.size() / sizeof(T));
  std::memcpy(result.data(), channel.initial_values.data(), channel.initial_values.size());
  return result;
}

}  // namespace

TEST_CASE("the first graph of the documentation is read with all its places") {
  const auto model = read(
      "format: 1\n"
      "graph: hello\n"
      "actors:\n"
      "  count:  {side: cpu, out: {n: int32}}\n"
      "  square: {side: gpu, kernel: square.comp, in: {x: int32}, out: {y: int32}}\n"
      "  print:  {side: cpu, in: {n: int32}}\n"
      "channels:\n"
      "  - count.n -> square.x\n"
      "  - square.y -> print.n\n",
      {}, "some/folder/hello.yaml");
  CHECK(model.name == "hello");
  CHECK(model.semantics == Semantics::antiphon);
  CHECK(at(model.place) == "2:8+5");
  REQUIRE(model.actors.size() == 3);
  const auto& square = model.actors[1];
  CHECK(square.name == "square");
  CHECK(square.side == Side::gpu);
  CHECK(square.concurrency == 1);
  CHECK(at(square.place) == "5:3+6");
  CHECK(square.place.source->name == "some/folder/hello.yaml");
  CHECK(square.kernel_file == "square.comp");
  REQUIRE(square.kernel);
  CHECK(square.kernel->file() == "some/folder/square.comp");
  REQUIRE(square.ports.size() == 2);
  CHECK(square.ports[0].direction == Direction::in);
  CHECK(square.ports[0].name == "x");
  CHECK(square.ports[0].rate == PhaseSequence(1));
  CHECK(square.ports[0].type.name == "int32");
  CHECK(square.ports[0].type.size == 4);
  CHECK(square.ports[0].type.alignment == 4);
  CHECK(at(square.ports[0].place) == "5:49+1");
  CHECK(square.ports[1].direction == Direction::out);
  CHECK(at(square.ports[1].place) == "5:66+1");
  REQUIRE(model.channels.size() == 2);
  const auto& channel = model.channels[0];
  CHECK(display_name(channel) == "count.n -> square.x");
  CHECK_FALSE(channel.capacity);
  CHECK(channel.initial == 0);
  CHECK(at(channel.place) == "8:5+19");
  CHECK(at(channel.from.place) == "8:5+7");
  CHECK(at(channel.to[0].place) == "8:16+8");
}

TEST_CASE("the same graph as JSON, with tabs and escapes, is the same graph") {
  const auto model = read(
      "{\n"
      "\t\"format\": 1,\n"
      "\t\"graph\": \"caf\\u00e9 \\ud83d\\ude00 \\/\",\n"
      "\t\"actors\": {\"a\": {\"side\":\"cpu\",\"out\":{\"n\":\"int32\"}},\n"
      "\t\t\"b\":{\"in\":{\"n\":{\"type\":\"int32\",\"rate\":[1,2]}}}},\n"
      "\t\"channels\":[\"a.n -> b.n\",{\"from\":\"a.n\",\"to\":[\"b.n\"],\"capacity\":4}]\n"
      "}\n",
      {}, "test.json");
  CHECK(model.name == "caf\u00e9 \U0001F600 /");
  CHECK(at(model.place) == "3:11+27");
  REQUIRE(model.actors.size() == 2);
  CHECK(at(model.actors[1].place) == "5:3+3");
  CHECK(at(model.actors[1].ports[0].place) == "5:14+3");
  CHECK(model.actors[1].ports[0].rate == PhaseSequence{1, 2});
  REQUIRE(model.channels.size() == 2);
  CHECK(at(model.channels[0].to[0].place) == "6:22+3");
  CHECK(model.channels[1].capacity == 4);
}

TEST_CASE("places after a character beyond the basic plane are those of the file") {
  const auto found =
      faults("{\"format\":1,\"graph\":\"\\ud83d\\ude00\",\"actors\":{\"a\":{\"side\":\"x\"}}}");
  CHECK(found == std::vector<std::string>{"1:58 bad-side: 'x' is not a side"});
}

TEST_CASE("a graph without a name is called after its file") {
  CHECK(read("format: 1\nactors: {}\n", {}, "folder/blur.yaml").name == "blur");
  CHECK(read("format: 1\nactors:\n", {}, "blur").name == "blur");
  CHECK(read("format: 1\ngraph: \"\"\nactors: {}\n").name.empty());
}

TEST_CASE("keys that begin with x- are ignored wherever keys are fixed") {
  const auto model = read(
      "format: 1\nx-note: {any: [thing]}\nactors:\n"
      "  a: {x-color: red, out: {n: {type: int32, x-y: 1}}}\n"
      "  x-ray: {in: {n: {type: int32, rate: {then: [1], x-z: 2}}}}\n"
      "channels:\n  - {from: a.n, to: x-ray.n, x-why: because}\n");
  REQUIRE(model.actors.size() == 2);
  CHECK(model.actors[1].name == "x-ray");  // a name of one's own is no key of the format
  CHECK(model.channels[0].to[0].actor == "x-ray");
}

TEST_CASE("a channel may have several readers, in any of the forms") {
  const auto model =
      read(graph("actors: {}\nchannels:\n"
                 "  - a.x -> b.y, c.z\n"
                 "  - a.x -> [b.y, c.z]\n"
                 "  - {from: a.x, to: [b.y, c.z]}\n"
                 "  - from: a.x\n"
                 "    to:\n"
                 "      - b.y\n"
                 "      - {actor: c, port: z}\n"
                 "  - \"a.x->b.y,c.z\"\n"));
  REQUIRE(model.channels.size() == 5);
  for (const auto& channel : model.channels) CHECK(display_name(channel) == "a.x -> b.y, c.z");
  CHECK(at(model.channels[0].to[1].place) == "5:17+3");
  CHECK(at(model.channels[1].to[1].place) == "6:18+3");
  CHECK(at(model.channels[4].to[1].place) == "12:15+3");
}

TEST_CASE("names that hold dots, commas or arrows are ends of channels as maps") {
  const auto model =
      read(graph("actors:\n  \"a.b -> c\": {out: {\"x,y\": int32}}\nchannels:\n"
                 "  - {from: {actor: \"a.b -> c\", port: \"x,y\"}, to: d.e}\n"));
  CHECK(model.channels[0].from.actor == "a.b -> c");
  CHECK(model.channels[0].from.port == "x,y");
}

TEST_CASE("capacities and initial messages have values and places") {
  const auto model =
      read(graph("actors: {}\nchannels:\n"
                 "  - {from: a.x, to: b.y, name: delay, capacity: 8, initial: 3}\n"
                 "  - {from: a.x, to: b.y, capacity: auto}\n"));
  CHECK(model.channels[0].name == "delay");
  CHECK(model.channels[0].capacity == 8);
  CHECK(at(model.channels[0].capacity_place) == "5:49+1");
  CHECK(model.channels[0].initial == 3);
  CHECK(at(model.channels[0].initial_place) == "5:61+1");
  CHECK_FALSE(model.channels[1].capacity);
}

TEST_CASE("initial values become the bytes of the messages") {
  const auto model = read(
      graph("parameters: {seed: 7}\n"
            "actors:\n"
            "  a: {out: {i: int16, f: \"float32[3]\", h: float16, u: uint64, d: float64, n: {}}}\n"
            "  b: {in: {i: {}, f: {}, h: {}, u: {}, d: {}, n: uint8}}\n"
            "channels:\n"
            "  - {from: a.i, to: b.i, values: [1, -2, seed*2]}\n"
            "  - {from: a.f, to: b.f, values: [[1, 2.5, -0.0], 4]}\n"
            "  - {from: a.h, to: b.h, values: [1, 65504, 0.00006103515625, -.inf]}\n"
            "  - {from: a.u, to: b.u, values: [18446744073709551615]}\n"
            "  - {from: a.d, to: b.d, values: [.inf, 1e-3]}\n"
            "  - {from: a.n, to: b.n, initial: 2, values: [255, 0]}\n"
            "  - {from: a.n, to: b.n, initial: 2, type: uint16, bytes: \"0100 ffFE\"}\n"));
  CHECK(model.channels[0].initial == 3);
  CHECK(values<std::int16_t>(model.channels[0]) == std::vector<std::int16_t>{1, -2, 14});
  CHECK(values<float>(model.channels[1]) == std::vector<float>{1, 2.5F, -0.0F, 4, 4, 4});
  CHECK(model.channels[1].initial == 2);
  CHECK(values<std::uint16_t>(model.channels[2]) ==
        std::vector<std::uint16_t>{0x3C00, 0x7BFF, 0x0400, 0xFC00});
  CHECK(values<std::uint64_t>(model.channels[3]) == std::vector<std::uint64_t>{UINT64_MAX});
  CHECK(values<double>(model.channels[4]) ==
        std::vector<double>{std::numeric_limits<double>::infinity(), 1e-3});
  CHECK(values<std::uint8_t>(model.channels[5]) == std::vector<std::uint8_t>{255, 0});
  CHECK(values<std::uint8_t>(model.channels[6]) == std::vector<std::uint8_t>{1, 0, 255, 254});
  CHECK(model.channels[6].type.name == "uint16");
}

TEST_CASE("types have the names and sizes that C++ gives them") {
  const auto model =
      read(graph("parameters: {width: 4, height: 3}\n"
                 "types:\n"
                 "  image: uint8[height][width][3]\n"
                 "  pair: {flag: int8, value: float64, tail: uint16}\n"
                 "  nested: {one: pair, many: \"pair[2]\", pad: 3 B}\n"
                 "actors:\n"
                 "  a:\n"
                 "    out:\n"
                 "      scalar: float64\n"
                 "      array: float32[1024]\n"
                 "      one: float32[1]\n"
                 "      plane: float32[height][width]\n"
                 "      half: float16\n"
                 "      alias: image\n"
                 "      aliases: image[2]\n"
                 "      struct: pair\n"
                 "      structs: pair[height]\n"
                 "      nested: nested\n"
                 "      size: 64 KiB\n"
                 "      bytes: 3 B\n"
                 "      decimal: 1.5 MB\n"
                 "      computed: width*height B\n"
                 "      strict: 24 B align 8\n"
                 "      strict_array: 24 B align 8 [10]\n"
                 "      full: {type: {name: thing, size: 12 B, align: 4, elements: 3}}\n"
                 "      unsaid: {}\n"
                 "      empty:\n"));
  const auto& ports = model.actors[0].ports;
  const auto expect = [&](std::size_t i, const char* name, std::size_t size, std::size_t alignment,
                          std::int64_t elements) {
    CAPTURE(ports[i].name);
    CHECK(ports[i].type.name == name);
    CHECK(ports[i].type.size == size);
    CHECK(ports[i].type.alignment == alignment);
    CHECK(ports[i].type.elements == elements);
  };
  expect(0, "float64", 8, 8, 1);
  expect(1, "float32[1024]", 4096, 4, 1024);
  expect(2, "float32[1]", 4, 4, 1);
  expect(3, "float32[12]", 48, 4, 12);
  expect(4, "float16", 2, 2, 1);
  expect(5, "uint8[36]", 36, 1, 36);
  expect(6, "uint8[72]", 72, 1, 72);
  struct Pair {
    std::int8_t flag;
    double value;
    std::uint16_t tail;
  };
  struct Nested {
    Pair one;
    Pair many[2];
    char pad[3];
  };
  expect(7, "pair", sizeof(Pair), alignof(Pair), 1);
  expect(8, "pair[3]", 3 * sizeof(Pair), alignof(Pair), 3);
  expect(9, "nested", sizeof(Nested), alignof(Nested), 1);
  expect(10, "", 65536, 1, 1);
  expect(11, "", 3, 1, 1);
  expect(12, "", 1'500'000, 1, 1);
  expect(13, "", 12, 1, 1);
  expect(14, "", 24, 8, 1);
  expect(15, "", 240, 8, 10);
  expect(16, "thing", 12, 4, 3);
  expect(17, "", 0, 1, 1);
  expect(18, "", 0, 1, 1);
  CHECK(ports[1].type.name == message_type<std::array<float, 1024>>().name);
  CHECK(ports[2].type.name == message_type<std::array<float, 1>>().name);
  CHECK(ports[0].type.name == message_type<double>().name);
}

TEST_CASE("ports are numbered as they are written") {
  const auto names = [](const std::string& ports) {
    std::string text;
    const auto model = read(graph("actors:\n  a: " + ports + "\n"));
    for (const auto& port : model.actors[0].ports) {
      text += (port.direction == Direction::in ? "<" : ">") + port.name;
    }
    return text;
  };
  CHECK(names("{in: {a: int8, b: int8}, out: {c: int8}}") == "<a<b>c");
  CHECK(names("{out: {c: int8}, in: {b: int8, a: int8}}") == ">c<b<a");
  CHECK(names("{out: {c: int8}}") == ">c");
  CHECK(names("{ports: [{in: a}, {out: b, type: int8}, {in: a, rate: 2}]}") == "<a>b<a");
}

TEST_CASE("a kernel takes groups, constants and an entry point") {
  const auto model =
      read(graph("parameters: {width: 64}\n"
                 "actors:\n"
                 "  a:\n"
                 "    side: gpu\n"
                 "    kernel: /shaders/blur.spv\n"
                 "    groups: [width/8, 2, 1]\n"
                 "    constants: {0: width, 1: 1.5, 2: true, 3: -1, 4: 1e3, 5: 4294967295}\n"
                 "    entry: go\n"
                 "  b: {side: gpu, kernel: x.comp, groups: 5}\n"));
  const auto& kernel = *model.actors[0].kernel;
  CHECK(kernel.file() == "/shaders/blur.spv");
  CHECK(*kernel.groups() == std::array<std::uint32_t, 3>{8, 2, 1});
  CHECK(kernel.entry() == "go");
  using Constant = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(kernel.constants() ==
        std::vector<Constant>{
            {0, 64}, {1, 0x3FC00000}, {2, 1}, {3, 0xFFFFFFFF}, {4, 0x447A0000}, {5, 0xFFFFFFFF}});
  CHECK(*model.actors[1].kernel->groups() == std::array<std::uint32_t, 3>{5, 1, 1});
}

TEST_CASE("costs are times, and concurrency is a number or unlimited") {
  const auto model =
      read(graph("actors:\n"
                 "  a: {cost: 2 ms}\n"
                 "  b: {cost: [1 us, 3*2 ms], concurrency: 4}\n"
                 "  c: {cost: {initial: [1 s], then: [1.5 us, 0 ns]}, concurrency: unlimited}\n"
                 "  d: {}\n"));
  CHECK(*model.actors[0].cost == PhaseSequence(2'000'000));
  CHECK(*model.actors[1].cost == PhaseSequence({}, {{1, 1'000}, {3, 2'000'000}}));
  CHECK(model.actors[1].concurrency == 4);
  CHECK(*model.actors[2].cost == PhaseSequence({{1, 1'000'000'000}}, {{1, 1'500}, {1, 0}}));
  CHECK(model.actors[2].concurrency == 0);
  CHECK_FALSE(model.actors[3].cost);
}

TEST_CASE("parameters are set from outside, and those computed from them follow") {
  const std::string text = graph(
      "parameters: {width: 640, height: width*3/4}\n"
      "actors:\n  a: {out: {x: \"float32[height][width]\"}}\n");
  CHECK(read(text).actors[0].ports[0].type.elements == 640 * 480);
  CHECK(read(text, {{{"width", "1920"}}}).actors[0].ports[0].type.elements == 1920 * 1440);
  CHECK(read(text, {{{"width", "2"}, {"height", "3"}}}).actors[0].ports[0].type.elements == 6);
}

TEST_CASE("sdf3 semantics make actors overlap themselves, and costs plain numbers") {
  const auto model =
      read(graph("semantics: sdf3\nactors:\n  a: {cost: [3, 2*4]}\n  b: {concurrency: 1}\n"));
  CHECK(model.semantics == Semantics::sdf3);
  CHECK(model.actors[0].concurrency == 0);
  CHECK(*model.actors[0].cost == PhaseSequence({}, {{1, 3}, {2, 4}}));
  CHECK(model.actors[1].concurrency == 1);
}

TEST_CASE("a list of actors may hold the same name twice") {
  const auto model = read(graph("actors:\n  - {name: a, out: {x: int8}}\n  - {name: a}\n"));
  REQUIRE(model.actors.size() == 2);
  CHECK(model.actors[0].name == "a");
  CHECK(at(model.actors[1].place) == "5:12+1");
}

TEST_CASE("carriage returns and a byte order mark change nothing") {
  const auto model = read(
      "\xEF\xBB\xBF"
      "format: 1\r\ngraph: g\r\nactors:\r\n  a: {out: {x: int8}}\r\n");
  CHECK(model.name == "g");
  CHECK(at(model.place) == "2:8+1");
  CHECK(at(model.actors[0].place) == "4:3+1");
  CHECK(at(read("\xEF\xBB\xBF"
                "{format: 1, graph: g, actors: {}}")
               .place) == "1:20+1");
}
