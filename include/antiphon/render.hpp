// Turns what was found into text for a person, or JSON for a program.
#pragma once

#include <antiphon/bounds.hpp>
#include <antiphon/diagnostic.hpp>
#include <antiphon/sizes.hpp>

#include <string>
#include <vector>

namespace antiphon {

struct TextOptions {
  bool color = false;   // ANSI escapes
  bool all = true;      // false: the first error whole, the rest counted
  bool verdict = true;  // of a report: end with the line that says it
};

// docs/report.md describes the JSON.
std::string render_text(const Report& report, const TextOptions& options = {});
std::string render_json(const Report& report);
// All of them as one SARIF 2.1.0 log, which code hosts show beside the lines that are meant.
std::string render_sarif(const std::vector<Report>& reports);

// Where the graph is not valid these say what the report says.
std::string render_text(const Bounds& bounds, const TextOptions& options = {});
std::string render_json(const Bounds& bounds);
std::string render_text(const Sizes& sizes, const TextOptions& options = {});
std::string render_json(const Sizes& sizes);

}  // namespace antiphon
