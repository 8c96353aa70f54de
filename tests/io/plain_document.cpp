// The fast way through plain texts gives what the YAML parser gives, or nothing.
#include "io/plain_document.hpp"

#include "io/document.hpp"
#include "io/support.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace antiphon;
using namespace antiphon::io;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.exact != b.exact || a.offset != b.offset || a.length != b.length ||
      a.text != b.text || a.children.size() != b.children.size()) {
    return false;
  }
  if (a.is_scalar() && a.text_offset != b.text_offset) return false;
  for (std::size_t i = 0; i < a.children.size(); ++i) {
    if (!same(a.children[i], b.children[i])) return false;
  }
  return true;
}

// Whether the text is plain; fails when the two ways differ.
bool is_plain(const std::string& content) {
  const Text text(content, "test");
  const auto plain = read_plain_document(text);
  if (!plain) return false;
  Faults faults;
  const auto parsed = parse_document(text, faults);
  CAPTURE(content);
  REQUIRE(parsed);
  CHECK_FALSE(faults.any());
  CHECK(same(*plain, *parsed));
  return true;
}

const std::vector<std::string>& plain_texts() {
  static const std::vector<std::string> texts{
      "a: 1\n",
      "a: 1",
      "# first\n\na: 1  # one\nb:   two words  \n\n  # indented\nc: x#y\n",
      "format: 1\ngraph: g\nactors:\n  a: {side: cpu, out: {n: int32}}\n  b:\n    in:\n      n: "
      "float32[4]\n"
      "    cost: [1 ms, 2*3 us]\nchannels:\n  - a.n -> b.n\n  - {from: a.n, to: [b.n, c.n], "
      "capacity: 4}\n"
      "  - from: a.n\n    to: b.n\n",
      "channels:\n- a.x -> b.y, c.z\n- a.x -> [b.y, c.z]\nnext: 1\n",
      "- - 1\n  - 2\n- - 3\n-\n  a: 1\n-   b: 2\n    c: 3\n",
      "\"a b\": 'c'\n'd': \"e\"   # f\n\"g\" : h\n",
      "{\"a\":1,\t\"b\":[\t[], {}, \"x y\" ],\n\t\"c\": {\"d\":\n1}}\n",
      "[1, -2, a-b, 'c',\n  # comment\n  d e]  # end\n",
      "a: {b: [1,\n     2], c: 3}\nd: 4\n",
      "a:\n  b:\n    c:\n      - d: 1\n        e: 2\n      - f\n  g: 3\nh: -1\n",
      "a: x-> y\nb: -> z\nc: a.b\nd: 5;1\ne: ../f/g.comp\n",
      "\xC3\xA9: \xF0\x9F\x98\x80\n",
  };
  return texts;
}

}  // namespace

TEST_CASE("plain texts are read without the parser, as the parser reads them") {
  for (const auto& text : plain_texts()) {
    CAPTURE(text);
    CHECK(is_plain(text));
  }
  const std::filesystem::path root(ANTIPHON_SOURCE_DIR);
  std::ifstream sample(root / "samples/video/video.yaml");
  CHECK(is_plain({std::istreambuf_iterator<char>(sample), {}}));
}

TEST_CASE("what is more than plain, or at fault, is left to the parser") {
  for (const std::string text : {"",
                                 "x\n",
                                 "a\n",
                                 "a: b: c\n",
                                 "a: \"b\\n\"\n",
                                 "a: 'b''c'\n",
                                 "a: |\n  b\n",
                                 "a: >\n  b\n",
                                 "a: &x 1\n",
                                 "a: *x\n",
                                 "a: !t 1\n",
                                 "? a\n",
                                 "---\na: 1\n",
                                 "a: 1\n---\nb: 2\n",
                                 "a: 1\n...\n",
                                 "%YAML 1.2\na: 1\n",
                                 "a: one\n  two\n",
                                 "a:\n",
                                 "a: ~\n",
                                 "null: 1\n",
                                 "a: 1\na: 2\n",
                                 "a: {b: 1, b: 2}\n",
                                 "a: {b}\n",
                                 "a: [b: c]\n",
                                 "a: [1, 2,]\n",
                                 "a: {b: 1\n",
                                 "a: \"b\n",
                                 "a: 1\r\n",
                                 "\ta: 1\n",
                                 "a:\n\tb: 1\n",
                                 "a: 1\n b: 2\n",
                                 "a:\n  b: 1\n c: 2\n",
                                 "a:\n  b: 1\n  - c\n",
                                 "- a\nb: 1\n",
                                 "a: 1\n- b\n",
                                 "a: {b: 1} c\n",
                                 "a: \"b\"c\n",
                                 "a: @b\n",
                                 "a: - b\n",
                                 "{a: 1}\nb: 2\n",
                                 "a: {b: [\n1]}\n",
                                 "{a:1}\n",
                                 "a: 1\t\n"}) {
    CAPTURE(text);
    CHECK_FALSE(is_plain(text));
  }
  CHECK_FALSE(is_plain(std::string(100, '[') + std::string(100, ']')));
}

// 40,000 texts that are a few edits away from plain ones. The seed is fixed, so that a failure
// stays.
TEST_CASE("the two ways agree on texts that are nearly plain") {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  constexpr std::string_view pieces[] = {
      " ", "  ", "\n", "\n  ", ":", ": ",     "-",  "- ",   "#", " #", ",", "{",   "}",
      "[", "]",  "\"", "'",    "a", "b: 1\n", "\t", "null", "~", "?",  "&", "\n- "};
  int plain = 0;
  for (int i = 0; i < 40'000; ++i) {
    std::string text = plain_texts()[below(plain_texts().size())];
    for (auto edits = 1 + below(3); edits > 0; --edits) {
      const auto at = below(text.size() + 1);
      if (below(3) == 0) {
        text.erase(at, 1 + below(3));
      } else {
        text.insert(at, pieces[below(std::size(pieces))]);
      }
    }
    if (is_plain(text)) ++plain;
  }
  CHECK(plain > 4'000);  // otherwise this would test nothing
}

TEST_CASE("a graph of a thousand actors is loaded in far less than 20 ms") {
  std::string text = "format: 1\ngraph: large\nactors:\n";
  for (int i = 0; i < 1'000; ++i) {
    text += "  actor" + std::to_string(i) +
            ": {side: cpu, cost: 2 ms, in: {x: int32}, out: {y: \"float32[1024]\"}}\n";
  }
  text += "channels:\n";
  for (int i = 0; i < 1'000; ++i) {
    text +=
        "  - actor" + std::to_string(i) + ".y -> actor" + std::to_string((i + 1) % 1'000) + ".x\n";
  }
  CHECK(is_plain(text));
  // Processor time, so that what else the machine does counts less.
  auto best = std::numeric_limits<std::clock_t>::max();
  for (int run = 0; run < 9; ++run) {
    const auto begin = std::clock();
    const auto graph = parse_graph(text, "large.yaml");
    best = std::min(best, std::clock() - begin);
    CHECK(graph.model().actors.size() == 1'000);
  }
  const auto milliseconds = 1e3 * static_cast<double>(best) / CLOCKS_PER_SEC;
  MESSAGE("1,000 actors in " << milliseconds << " ms");
  // The parser alone takes more.
  CHECK(milliseconds < (sanitized ? 400 : 20));
}
