#include "check/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::analysis {

Diagnostic finding(const Rule& rule, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = rule.code;
  diagnostic.severity = rule.severity;
  diagnostic.message = std::move(message);
  return diagnostic;
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::string quoted(std::string_view name) {
  return fmt::format("'{}'", name);
}

std::string quoted_list(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t shown = names.size() > most ? most - 1 : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += i + 1 == names.size() ? " and " : ", ";
    text += quoted(names[i]);
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::string counted(std::int64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

}  // namespace antiphon::analysis
