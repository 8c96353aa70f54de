#include "fuzz/graph_text.hpp"

#include "fuzz/fuzz.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/check.hpp>
#include <antiphon/draw.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>
#include <antiphon/sizes.hpp>

#include <utility>

namespace fuzz {

namespace {

using namespace antiphon;

// Steps: milliseconds, so that many inputs are tried. What takes longer than its budget is a fault,
// too: the time limit sees it.
constexpr std::int64_t budget = 20'000;

void hold_to_rules(const Report& report) {
  for (const auto& one : report.diagnostics) {
    require(!one.message.empty(), "a diagnostic without a message");
    for (const auto& mark : one.marks) {
      if (!mark.place.known()) continue;
      const auto& source = mark.place.source->text;
      require(mark.place.column >= 1 && mark.place.column + mark.place.length <= source.size() + 1,
              "a place outside the text");
    }
  }
  require(!render_json(report).empty(), "a report without JSON");
  require(!render_sarif({report}).empty(), "a report without SARIF");
  render_text(report);
}

void hold_refusal(const Report& report) {
  require(!report.diagnostics.empty(), "a refusal without a reason");
  for (const auto& one : report.diagnostics) {
    for (const auto& mark : one.marks) {
      require(mark.place.known(), "a fault of a file without a place");
    }
  }
  hold_to_rules(report);
}

void analyse(const Graph& graph) {
  const auto report = check(graph, {.budget = budget, .kernels = false});
  hold_to_rules(report);
  require(report.verdict != Verdict::unreadable, "a graph that was read is unreadable");
  to_dot(graph, report);
  const auto speed = bounds(graph, {.check_budget = budget, .budget = budget});
  require(speed.report.verdict == report.verdict, "check and bounds do not agree");
  render_text(speed);
  render_json(speed);
  const auto size = sizes(graph, {.budget = budget});
  render_text(size);
  render_json(size);
}

void write_and_read(const Graph& graph) {
  const auto written = write_graph(graph);
  try {
    require(write_graph(parse_graph(written, "again.yaml")) == written,
            "a graph that was written reads as another");
  } catch (const UnreadableGraph& refusal) {
    fault("a graph that was written cannot be read: " + std::string(refusal.what()));
  }
}

}  // namespace

bool begins_with(const std::string& text, char first) {
  const auto at = text.find_first_not_of(" \t\r\n");
  return at != std::string::npos && text[at] == first;
}

void try_graph(std::string text, const std::string& name) {
  try {
    const auto graph = parse_graph(std::move(text), name);
    ++understood;
    analyse(graph);
    write_and_read(graph);
  } catch (const UnreadableGraph& refusal) {
    hold_refusal(refusal.report());
  }
}

}  // namespace fuzz
