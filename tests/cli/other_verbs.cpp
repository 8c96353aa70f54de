// `antiphon explain`, and reports as SARIF.
#include "cli/program.hpp"

#include <antiphon/diagnostic.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
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

// Set to make the pages anew: cmake -E env ANTIPHON_UPDATE_CASES=1 build/release/tests/test_cli
void check_page(const std::string& path, const std::string& text) {
  const auto full = std::string(ANTIPHON_SOURCE_DIR) + "/docs/" + path;
  if (std::getenv("ANTIPHON_UPDATE_CASES") != nullptr) {
    fs::create_directories(fs::path(full).parent_path());
    std::ofstream(full, std::ios::binary) << text;
  }
  std::ostringstream page;
  page << std::ifstream(full, std::ios::binary).rdbuf();
  CHECK_MESSAGE(text == page.str(), full);
}

}  // namespace

TEST_CASE("explain has a page for every code, and so has docs/rules") {
  const Folder folder;
  std::set<std::string> pages;
  for (const auto& rule : antiphon::rules()) {
    const auto ended = shell(folder, "antiphon explain " + std::string(rule.code));
    CHECK(ended.code == 0);
    CHECK(contains(ended.out, "[" + std::string(rule.code) + "]: " + std::string(rule.summary)));
    const auto page = "rules/" + std::string(rule.code) + ".md";
    check_page(page, shell(folder, "antiphon explain --markdown " + std::string(rule.code)).out);
    pages.insert(std::string(rule.code) + ".md");
  }
  for (const auto& file :
       fs::directory_iterator(std::string(ANTIPHON_SOURCE_DIR) + "/docs/rules")) {
    CHECK_MESSAGE(pages.contains(file.path().filename().string()), file.path());
  }
  check_page("rules.md", shell(folder, "antiphon explain --markdown").out);
  CHECK(contains(shell(folder, "antiphon explain").out, "deadlock-capacity"));
  const auto unknown = shell(folder, "antiphon explain deadlock-capcity");
  CHECK(unknown.code == 2);
  CHECK(unknown.err ==
        "antiphon explain: no rule 'deadlock-capcity'; the nearest is 'deadlock-capacity'\n");
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
