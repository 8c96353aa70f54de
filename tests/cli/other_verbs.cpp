// `antiphon explain`, and reports as SARIF.
#include "cli/program.hpp"

#include <antiphon/diagnostic.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

using namespace cli_tests;

namespace {

const std::string stuck = R"(format: 1
graph: stuck
actors:
  a: {in: {x: int32}, out: {y: {type: int32, rate: [1, 2]}}}
  b: {side: gpu, in: {y: {type: int32, rate: 3}}, out: {x: {type: int32, rate: 2}}}
channels:
  - a.y -> b.y
  - b.x -> a.x
)";

}  // namespace

TEST_CASE("explain has a page for every code, and docs/rules.md is made of them") {
  const Folder folder;
  for (const auto& rule : antiphon::rules()) {
    const auto ended = shell(folder, "antiphon explain " + std::string(rule.code));
    CHECK(ended.code == 0);
    CHECK(contains(ended.out, "[" + std::string(rule.code) + "]: " + std::string(rule.summary)));
  }
  CHECK(contains(shell(folder, "antiphon explain").out, "deadlock-capacity"));
  const auto unknown = shell(folder, "antiphon explain deadlock-capcity");
  CHECK(unknown.code == 2);
  CHECK(unknown.err ==
        "antiphon explain: no rule 'deadlock-capcity'; the nearest is 'deadlock-capacity'\n");
  std::ostringstream page;
  page << std::ifstream(std::string(ANTIPHON_SOURCE_DIR) + "/docs/rules.md").rdbuf();
  CHECK(shell(folder, "antiphon explain --markdown").out == page.str());
}

TEST_CASE("a report as SARIF has rules, levels and places in code points") {
  const Folder folder;
  folder.write("\xc3\xa9 1.yaml",
               "format: 1\nactors:\n  \xc3\xa9: {out: {x: int32}}\n"
               "channels: [\"\xc3\xa9.x -> b.x\"]\n");
  folder.write("stuck.yaml", stuck);
  const auto ended = shell(folder, "antiphon check --format sarif '\xc3\xa9 1.yaml' stuck.yaml");
  CHECK(ended.code == 1);
  const auto sarif = nlohmann::json::parse(ended.out);
  CHECK(sarif["version"] == "2.1.0");
  REQUIRE(sarif["runs"].size() == 1);
  const auto& run = sarif["runs"][0];
  CHECK(run["columnKind"] == "unicodeCodePoints");
  const auto& rules = run["tool"]["driver"]["rules"];
  CHECK(rules.size() == antiphon::rules().size());
  REQUIRE(run["results"].size() >= 2);
  std::set<std::string> codes;
  for (const auto& result : run["results"]) {
    codes.insert(result["ruleId"]);
    CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] == result["ruleId"]);
    CHECK(result["level"] == "error");
    CHECK_FALSE(result["message"]["text"].get<std::string>().empty());
    CHECK(result["locations"].size() == 1);
  }
  CHECK(codes.count("unknown-actor") == 1);
  CHECK(codes.count("deadlock-data") == 1);
  const auto& first = run["results"][0];
  REQUIRE(first["ruleId"] == "unknown-actor");
  const auto& place = first["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "%C3%A9%201.yaml");
  CHECK(place["region"]["startLine"] == 4);
  CHECK(place["region"]["startColumn"] == 20);
}
