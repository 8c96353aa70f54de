#include "cli/explain_verb.hpp"

#include "cli/output.hpp"
#include "graph/similar_names.hpp"

#include <antiphon/diagnostic.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon::cli {

namespace {

const char* word(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

// Lines of at most 100 characters.
std::string wrapped(std::string_view text) {
  constexpr std::size_t width = 100;
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > width) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string page(const Rule& rule) {
  return std::string(word(rule.severity)) + "[" + std::string(rule.code) +
         "]: " + std::string(rule.summary) + "\n\n" + wrapped(rule.explanation);
}

// docs/rules/CODE.md.
std::string page_as_markdown(const Rule& rule) {
  return "# " + std::string(rule.code) + "\n\n*" + word(rule.severity) +
         "*: " + std::string(rule.summary) + ".\n\n" + std::string(rule.explanation) + "\n";
}

// docs/rules.md.
std::string list_as_markdown() {
  std::string out =
      "# Rules\n\nWhat `antiphon check` can find, by its code. This list and the pages are made "
      "from the rules' own declarations, by `antiphon explain --markdown [CODE]`; `antiphon "
      "explain "
      "CODE` shows one in a terminal.\n\n| code | | what it says |\n|---|---|---|\n";
  for (const auto& rule : rules()) {
    const std::string code(rule.code);
    out += "| [" + code + "](rules/" + code + ".md) | " + word(rule.severity) + " | " +
           std::string(rule.summary) + " |\n";
  }
  return out;
}

std::string list() {
  std::string out;
  std::size_t width = 0;
  for (const auto& rule : rules()) width = std::max(width, rule.code.size());
  for (const auto& rule : rules()) {
    out += std::string(rule.code) + std::string(width + 2 - rule.code.size(), ' ') +
           std::string(rule.summary) + "\n";
  }
  return out;
}

}  // namespace

ExplainVerb::ExplainVerb(CLI::App& app)
    : verb_(*app.add_subcommand("explain", "Say what a finding means, by its code")) {
  verb_.add_option("CODE", code_,
                   "As it stands in brackets behind `error`; unless said, all codes");
  verb_.add_flag("--markdown", markdown_, "As docs/rules.md and docs/rules/CODE.md have it");
  verb_.footer("Example:\n  antiphon explain deadlock-capacity");
}

std::vector<std::string> ExplainVerb::words_for(const CLI::Option& option) const {
  std::vector<std::string> codes;
  if (option.get_name(true) != "CODE") return codes;
  for (const auto& rule : rules()) codes.emplace_back(rule.code);
  return codes;
}

ExitCode ExplainVerb::run() {
  std::string text;
  if (code_.empty()) {
    text = markdown_ ? list_as_markdown() : list();
  } else {
    std::vector<std::string_view> codes;
    for (const auto& rule : rules()) {
      codes.push_back(rule.code);
      if (rule.code == code_) text = markdown_ ? page_as_markdown(rule) : page(rule);
    }
    if (text.empty()) {
      auto near = nearest_names(code_, codes);
      if (near.empty()) near = "antiphon explain lists all";
      std::fprintf(stderr, "antiphon explain: no rule '%s'; %s\n", code_.c_str(), near.c_str());
      return wrong_call;
    }
  }
  Output output("explain", false, 1);
  output.part(std::move(text));
  return output.finish(all_valid);
}

}  // namespace antiphon::cli
