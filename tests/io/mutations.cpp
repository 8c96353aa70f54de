// Texts that are a few edits away from graphs: each is read, or refused with a reason.
#include "io/support.hpp"

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

const std::vector<std::string> seeds{
    "format: 1\ngraph: g\nparameters: {w: 640, h: w*3/4}\ntypes:\n  image: uint8[h][w][3]\n"
    "  pair: {a: int8, b: \"image[2]\", c: 3 B}\nactors:\n"
    "  a: {side: gpu, kernel: a.comp, groups: [w/8, 1], constants: {0: w, 1: 1.5, 2: true}, entry: "
    "go,\n"
    "      out: {x: {type: \"float32[4]\", rate: [1, 2*3]}, y: 24 B align 8}, cost: 2 ms}\n"
    "  b:\n    in:\n      x: {type: float32[4], rate: {initial: [1], then: (w*h)}}\n      y: pair\n"
    "    cost: [1 us, 3*2 ms]\n    concurrency: unlimited\n  c: {ports: [{in: p, type: int16}, "
    "{out: q}]}\n"
    "channels:\n  - a.x -> b.x, c.p\n  - {from: a.y, to: [b.y, {actor: c, port: p}], capacity: "
    "2*w, initial: 1}\n"
    "  - from: c.q\n    to: c.p\n    name: loop\n    values: [1, -2, w]\n"
    "  - {from: a.x, to: b.x, values: [[1, 2, .inf, 1e3], 7], capacity: auto}\n"
    "  - {from: a.x, to: b.x, type: int8, initial: 2, bytes: \"01ff\"}\n",
    "{\"format\": 1, \"semantics\": \"sdf3\", \"actors\": [{\"name\": \"\\ud83d\\ude00\", "
    "\"cost\": \"1;2,3\",\n"
    "\t\"out\": {\"x\": {\"type\": {\"name\": \"t\", \"size\": \"4 B\", \"align\": 4, "
    "\"elements\": 2}}}}],\n"
    "\t\"channels\": [\"a.x -> b.y\"]}\n",
    "<?xml version=\"1.0\"?>\n<sdf3 type=\"csdf\" version=\"1.0\">\n<applicationGraph "
    "name=\"g\">\n<csdf name=\"g\">\n"
    "<actor name=\"A\" type=\"A\"><port name=\"o\" type=\"out\" rate=\"18*32,0;1\"/></actor>\n"
    "<actor name='B'><port name=\"i\" type=\"in\" rate=\"1\"/></actor>\n"
    "<channel name=\"c\" srcActor=\"A\" srcPort=\"o\" dstActor=\"B\" dstPort=\"i\" size=\"8\" "
    "initialTokens=\"3\"/>\n"
    "</csdf>\n<csdfProperties>\n<actorProperties actor=\"A\"><processor type=\"p\" "
    "default=\"true\">"
    "<executionTime "
    "time=\"4,2*5\"/></processor></actorProperties>\n</csdfProperties>\n</applicationGraph>\n</"
    "sdf3>\n"};

constexpr std::string_view pieces[] = {" ",
                                       "\n",
                                       "\n  ",
                                       ": ",
                                       "- ",
                                       "#",
                                       ",",
                                       "{",
                                       "}",
                                       "[",
                                       "]",
                                       "\"",
                                       "'",
                                       "->",
                                       ".",
                                       "*",
                                       "(",
                                       ")",
                                       "-",
                                       "0",
                                       "9223372036854775807",
                                       "4611686018427387904",
                                       "-1",
                                       "1000000000*",
                                       "w",
                                       "/0",
                                       "%",
                                       "align ",
                                       " B",
                                       " ms",
                                       ";",
                                       "null",
                                       "~",
                                       "&a ",
                                       "*a",
                                       "!t ",
                                       "|\n",
                                       "\t",
                                       "\r\n",
                                       "\\",
                                       "\\u0000",
                                       "\x01",
                                       "\xC3",
                                       "\xC3\xA9",
                                       "<",
                                       ">",
                                       "/>",
                                       "&lt;",
                                       "<!--",
                                       "name=\"x\" ",
                                       "1.5",
                                       "e9",
                                       ".nan",
                                       "true",
                                       "x-",
                                       "int8",
                                       "[1]",
                                       "format: 1\n"};

}  // namespace

TEST_CASE(
    "a text that is nearly a graph is read or refused, and what is read can be written and read") {
  const auto* asked = std::getenv("ANTIPHON_MUTATIONS");
  const int count = asked != nullptr ? std::atoi(asked) : 4'000;
  std::mt19937 random(asked != nullptr ? static_cast<unsigned>(count) : 20240607U);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  int read = 0;
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (auto edits = 1 + below(4); edits > 0; --edits) {
      const auto at = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.erase(at, 1 + below(8));
          break;
        case 1:
          text.insert(at, text.substr(below(text.size() + 1), below(40)));
          break;
        default:
          text.insert(at, pieces[below(std::size(pieces))]);
          break;
      }
    }
    CAPTURE(text);
    try {
      const auto graph = parse_graph(text, "mutation");
      ++read;
      const auto written = write_graph(graph);
      CAPTURE(written);
      CHECK(write_graph(parse_graph(written, "again")) == written);
    } catch (const UnreadableGraph& fault) {
      ++refused;
      REQUIRE_FALSE(fault.report().diagnostics.empty());
      for (const auto& one : fault.report().diagnostics) {
        CHECK_FALSE(one.message.empty());
        for (const auto& mark : one.marks) {
          CHECK(mark.place.known());
          if (!mark.place.known()) continue;
          const auto& source = mark.place.source->text;
          CHECK(mark.place.column >= 1);
          CHECK(mark.place.column + mark.place.length <= source.size() + 1);
        }
      }
    }
  }
  CHECK(read > count / 100);
  CHECK(refused > count / 10);
}
