// Turns a report into text for a person, or JSON for a program.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <string>

namespace antiphon {

struct TextOptions {
  bool color = false;  // ANSI escapes
  bool all = true;     // false: the first error whole, the rest counted
};

std::string render_text(const Report& report, const TextOptions& options = {});
// The format is described in docs/report.md.
std::string render_json(const Report& report);

}  // namespace antiphon
