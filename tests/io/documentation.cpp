// docs/format.md and docs/graph.schema.json say what is so.
#include "graph/format_rules.hpp"
#include "io/support.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

std::string read_text(const std::string& file) {
  std::ifstream stream(std::string(ANTIPHON_SOURCE_DIR "/docs/") + file);
  REQUIRE(stream);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Block {
  std::string text;
  int line = 0;
};

// The fenced blocks of a language.
std::vector<Block> blocks(const std::string& markdown, const std::string& language) {
  std::vector<Block> found;
  std::istringstream lines(markdown);
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line == "```" + language) {
      inside = true;
      found.push_back({"", number + 1});
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back().text += line + "\n";
    }
  }
  return found;
}

// The keys that the reader knows, from its own words on one that it does not.
std::set<std::string> keys_named_in(const std::string& help) {
  std::set<std::string> keys;
  constexpr std::string_view before = "its keys are ";
  REQUIRE(help.substr(0, before.size()) == before);
  std::istringstream list(help.substr(before.size(), help.find(';') - before.size()));
  for (std::string key; std::getline(list >> std::ws, key, ',');) keys.insert(key);
  return keys;
}

std::set<std::string> keys_read(const std::string& rest) {
  const auto report = report_of(graph(rest));
  REQUIRE(report.diagnostics.size() == 1);
  return keys_named_in(report.diagnostics[0].help);
}

std::set<std::string> properties(const nlohmann::json& schema) {
  std::set<std::string> keys;
  for (const auto& [key, unused] : schema.at("properties").items()) keys.insert(key);
  return keys;
}

}  // namespace

TEST_CASE("every example of the format's documentation is a graph") {
  const auto markdown = read_text("format.md");
  const auto examples = blocks(markdown, "yaml");
  CHECK(examples.size() >= 7);
  for (const auto& example : examples) {
    CAPTURE(example.line);
    CHECK(faults(example.text) == std::vector<std::string>{});
  }
  for (const auto& example : blocks(markdown, "json")) {
    CAPTURE(example.line);
    CHECK(faults(example.text) == std::vector<std::string>{});
  }
}

TEST_CASE("the format's documentation names every rule, and no other") {
  const auto markdown = read_text("format.md");
  const auto table = markdown.substr(markdown.find("## What can be wrong"));
  std::size_t rows = 0;
  for (auto at = table.find("\n| `"); at != std::string::npos; at = table.find("\n| `", at + 1))
    ++rows;
  CHECK(rows == graph_rules::all.size());
  for (const auto& rule : graph_rules::all) {
    CAPTURE(rule.code);
    std::string row = "| `";
    row += rule.code;
    row += "` | ";
    row += rule.summary;
    row += " |";
    CHECK(table.find(row) != std::string::npos);
  }
}

TEST_CASE("the schema has the keys that the reader has") {
  const auto schema = nlohmann::json::parse(read_text("graph.schema.json"));
  const auto& parts = schema.at("$defs");
  CHECK(properties(schema) == keys_read("actors: {}\nzzzzzz: 1\n"));

  CHECK(properties(parts.at("actor_keys")) == keys_read("actors: {a: {zzzzzz: 1}}\n"));
  auto listed = properties(parts.at("actor_keys"));
  listed.merge(properties(parts.at("listed_actor")));
  CHECK(listed == keys_read("actors: [{name: a, zzzzzz: 1}]\n"));

  CHECK(properties(parts.at("port").at("anyOf").at(1)) ==
        keys_read("actors: {a: {in: {x: {zzzzzz: 1}}}}\n"));
  CHECK(properties(parts.at("listed_port")) ==
        keys_read("actors: {a: {ports: [{in: x, zzzzzz: 1}]}}\n"));
  CHECK(properties(parts.at("channel")) ==
        keys_read("actors: {}\nchannels: [{from: a.x, to: b.y, zzzzzz: 1}]\n"));
  CHECK(properties(schema.at("properties").at("require")) ==
        keys_read("actors: {}\nrequire: {zzzzzz: 1}\n"));
  CHECK(properties(parts.at("latency")) ==
        keys_read("actors: {}\nrequire: {latency: {from: a, to: b, within: 1 s, zzzzzz: 1}}\n"));
  CHECK(properties(parts.at("allowance")) ==
        keys_read("actors: {}\nallow: {shared-resource: {of: a, reason: b, zzzzzz: 1}}\n"));
  CHECK(properties(parts.at("end").at("anyOf").at(1)) ==
        keys_read("actors: {}\nchannels: [{from: {actor: a, port: x, zzzzzz: 1}, to: b.y}]\n"));
}

TEST_CASE("the documentation's tables name every key") {
  const auto markdown = read_text("format.md");
  const auto schema = nlohmann::json::parse(read_text("graph.schema.json"));
  auto keys = properties(schema);
  keys.merge(properties(schema.at("$defs").at("actor_keys")));
  keys.merge(properties(schema.at("$defs").at("channel")));
  for (const auto& key : keys) {
    CAPTURE(key);
    CHECK(markdown.find("`" + key) != std::string::npos);
  }
}
