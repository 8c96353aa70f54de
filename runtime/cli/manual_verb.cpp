#include "cli/manual_verb.hpp"

#include "cli/declaration.hpp"
#include "cli/manual_text.hpp"
#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon::cli {

namespace {

// Text as groff sets it: backslashes and hyphens as themselves, other characters than ASCII by
// their number, since not every groff reads UTF-8.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\\') {
      out += "\\e";
    } else if (byte == '-') {
      out += "\\-";
    } else if (byte == '\'') {
      out += "\\(aq";
    } else if (byte == '`') {
      out += "\\(ga";
    } else if (byte < 0x80) {
      out += text[at];
    } else {
      const std::size_t more = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : 1;
      std::uint32_t code = byte & (0x3FU >> more);
      for (std::size_t i = 0; i < more && at + 1 < text.size(); ++i) {
        code = (code << 6U) | (static_cast<unsigned char>(text[++at]) & 0x3FU);
      }
      std::array<char, 16> name{};
      std::snprintf(name.data(), name.size(), "\\[u%04X]", code);
      out += name.data();
    }
  }
  return out;
}

// A line that groff takes for text, whatever it begins with.
std::string line(std::string_view text) {
  const bool like_a_request = !text.empty() && (text.front() == '.' || text.front() == '\'');
  return (like_a_request ? "\\&" : "") + roff(text) + "\n";
}

// The argument of a macro.
std::string argument(std::string_view text) {
  auto result = roff(text);
  for (auto at = result.find('"'); at != std::string::npos; at = result.find('"', at + 4)) {
    result.replace(at, 1, "\\(dq");
  }
  return '"' + result + '"';
}

std::string bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

// Paragraphs; lines that begin with a space, and those of a list, stay as they are.
std::string prose(std::string_view text) {
  std::string out;
  bool kept = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto next = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool keep = !next.empty() && next.front() == ' ';
    if (keep != kept) out += keep ? ".nf\n" : ".fi\n";
    kept = keep;
    out += next.empty() ? ".PP\n" : line(next);
  }
  return out + (kept ? ".fi\n" : "");
}

std::string option_entry(const DeclaredOption& option) {
  std::string out = ".TP\n";
  std::string names;
  for (const auto& flag : option.flags) names += (names.empty() ? "" : ", ") + bold(flag);
  if (option.positional()) {
    names = italic(option.value);
    if (option.repeats) names += " ...";
  } else if (!option.value.empty()) {
    names += " ";
    // What there is to choose from says more than that it is text.
    if (option.words.empty()) {
      names += italic(option.value);
    } else {
      for (const auto& word : option.words) {
        names += (word == option.words.front() ? "" : "|") + bold(word);
      }
    }
  }
  auto description = line(option.description);
  if (!option.by_default.empty()) {
    description.insert(description.size() - 1, "; " + bold(option.by_default) + " unless said");
  }
  return out + names + "\n" + description;
}

// "antiphon check [OPTION ...] FILE ...".
std::string usage(const DeclaredVerb& verb) {
  std::string out = ".B antiphon " + roff(verb.name) + "\n[" + italic("OPTION") + " ...]";
  for (const auto& option : verb.options) {
    if (!option.positional()) continue;
    const auto name = italic(option.value) + (option.repeats ? " ..." : "");
    out += option.required ? " " + name : " [" + name + "]";
  }
  return out + "\n";
}

std::string page(const Declaration& declared) {
  std::string out =
      ".\\\" Made by `antiphon manual`.\n"
      ".TH ANTIPHON 1 \"\" \"antiphon " ANTIPHON_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nantiphon \\- check graphs of CPU and GPU actors before they run\n"
      ".SH SYNOPSIS\n";
  for (const auto& verb : declared.verbs) out += usage(verb) + ".br\n";
  out += manual_before_verbs;
  out += ".SH OPTIONS\n";
  for (const auto& option : declared.program.options) out += option_entry(option);
  out += ".SH VERBS\n";
  for (const auto& verb : declared.verbs) {
    out += ".SS " + argument("antiphon " + verb.name) + "\n" + line(verb.description + ".") +
           ".PP\n" + usage(verb);
    for (const auto& option : verb.options) out += option_entry(option);
    if (!verb.footer.empty()) out += ".PP\n" + prose(verb.footer);
  }
  out += manual_after_verbs;
  return out;
}

}  // namespace

ManualVerb::ManualVerb(CLI::App& app, const std::vector<Verb*>& verbs)
    : program_(app),
      verb_(*app.add_subcommand("manual", "Print the manual page, as man reads it")),
      verbs_(verbs) {
  verb_.footer("Example:\n  antiphon manual | man -l -");
}

ExitCode ManualVerb::run() {
  const auto declared = declaration_of(program_, {verbs_.begin(), verbs_.end()});
  Output output("manual", false, 1);
  output.part(page(declared));
  return output.finish(all_valid);
}

}  // namespace antiphon::cli
