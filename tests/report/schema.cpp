// docs/report.schema.json describes all that is printed as JSON, and nothing else.
#include "report/schema.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>
#include <antiphon/sizes.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace antiphon;

namespace {

const std::filesystem::path root = ANTIPHON_SOURCE_DIR;

nlohmann::json part(const std::string& name) {
  std::ifstream stream(root / "docs" / "report.schema.json");
  auto schema = nlohmann::json::parse(stream);
  if (!name.empty()) {
    schema.erase("anyOf");
    schema["$ref"] = "#/$defs/" + name;
  }
  return schema;
}

}  // namespace

TEST_CASE("every report is as the schema says") {
  const Schema any(part(""));
  const Schema reports(part("report"));
  const Schema all_bounds(part("bounds"));
  const Schema all_sizes(part("sizes"));
  int graphs = 0;
  int valid = 0;
  const auto hold = [&](const Graph& graph) {
    const auto report = nlohmann::json::parse(render_json(check(graph)));
    CHECK(reports.fault(report) == "");
    CHECK(any.fault(nlohmann::json::array({report, report})) == "");
    ++graphs;
    BoundsOptions options;
    options.latency = LatencyQuestion{};
    const auto found = bounds(graph, options);
    const auto bounded = nlohmann::json::parse(render_json(found));
    const auto sized = nlohmann::json::parse(render_json(
        sizes(graph, {.budget = 2'000'000, .period = Fraction{100, 3}, .front = true})));
    CHECK(any.fault(bounded) == "");
    CHECK(any.fault(sized) == "");
    if (found.report.verdict != Verdict::valid) return;
    ++valid;
    CHECK(all_bounds.fault(bounded) == "");
    CHECK(all_sizes.fault(sized) == "");
  };
  for (const auto& entry :
       std::filesystem::directory_iterator(root / "tests" / "check" / "cases")) {
    if (entry.path().extension() != ".yaml") continue;
    CAPTURE(entry.path().string());
    hold(load_graph(entry.path()));
  }
  hold(
      parse_graph("format: 1\nactors:\n  a: {cost: 3 ns, out: {x: int32}}\n"
                  "  b: {cost: 5 ns, in: {x: int32}}\nchannels: [a.x -> b.x]\n",
                  "g.yaml"));
  hold(parse_graph(
      "format: 1\nsemantics: sdf3\nactors:\n  a: {cost: 3, in: {y: 4 B}, out: {x: 4 B}}\n"
      "channels: [{from: a.x, to: a.y, initial: 2}]\n",
      "g.yaml"));
  CHECK(graphs > 30);
  CHECK(valid > 2);
  try {
    parse_graph("format: 2", "g.yaml");
    CHECK(false);
  } catch (const UnreadableGraph& error) {
    CHECK(reports.fault(nlohmann::json::parse(render_json(error.report()))) == "");
  }
}

TEST_CASE("what is not as the schema says is found") {
  const Schema schema(part("report"));
  const auto good = nlohmann::json::parse(
      render_json(check(parse_graph("format: 1\nactors: {a: {}}\n", "g.yaml"))));
  CHECK(schema.fault(good) == "");
  auto missing = good;
  missing.erase("verdict");
  CHECK(schema.fault(missing) == "$: has no \"verdict\"");
  auto more = good;
  more["more"] = 1;
  CHECK(schema.fault(more) == "$.more: is not in the schema");
  auto kind = good;
  kind["actors"][0]["firings"] = "1";
  CHECK(schema.fault(kind) == "$.actors[0].firings: is no \"integer\"");
  auto verdict = good;
  verdict["verdict"] = "fine";
  CHECK(schema.fault(verdict) != "");
}
