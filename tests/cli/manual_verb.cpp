// `antiphon manual`.
#include "cli/help.hpp"
#include "cli/program.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace cli_tests;

namespace {

// As the page writes it: hyphens are said to be no dashes.
std::string hyphens(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '-' ? std::string("\\-") : std::string(1, c);
  return out;
}

}  // namespace

TEST_CASE("the manual page names every verb, every option and every exit status") {
  const Folder folder;
  const auto ended = shell(folder, "antiphon manual");
  CHECK(ended.code == 0);
  const auto& page = ended.out;
  const auto listed = verbs(folder);
  CHECK(listed.size() >= 8);
  for (const auto& verb : listed) {
    CAPTURE(verb);
    const auto begin = page.find(".SS \"antiphon " + verb + "\"\n");
    REQUIRE(begin != std::string::npos);
    const auto of_verb = page.substr(begin, page.find("\n.S", begin) - begin);
    for (const auto& option : options(shell(folder, "antiphon " + verb + " --help").out)) {
      CAPTURE(option);
      CHECK(contains(of_verb, "\\fB" + hyphens(option) + "\\fR"));
    }
  }
  for (const auto& option : options(shell(folder, "antiphon --help").out)) {
    CHECK(contains(page, "\\fB" + hyphens(option) + "\\fR"));
  }
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "VERBS", "EXIT STATUS",
                              "ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"}) {
    CHECK(contains(page, std::string("\n.SH ") + section + "\n"));
  }
  const auto status = page.substr(page.find(".SH EXIT STATUS"));
  for (const char* code : {"0", "1", "2", "3"}) {
    CHECK(contains(status, std::string(".TP\n.B ") + code + "\n"));
  }
}

TEST_CASE("the manual page's own graph and commands are right") {
  const Folder folder;
  const auto page = shell(folder, "antiphon manual").out;
  // Without the markup, which is hyphens alone in these.
  std::string text;
  for (std::size_t at = 0; at < page.size(); ++at) {
    if (page.compare(at, 2, "\\-") != 0)
      text += page[at];
    else
      text += page[++at];
  }
  const auto begin = text.find("format: 1\n");
  REQUIRE(begin != std::string::npos);
  folder.write("hello.yaml", text.substr(begin, text.find(".fi\n", begin) - begin));
  folder.write("square.comp",
               "#version 450\nlayout(local_size_x = 1) in;\n"
               "layout(binding = 0) readonly buffer X { int x[]; };\n"
               "layout(binding = 1) writeonly buffer Y { int y[]; };\n"
               "void main() { y[0] = x[0] * x[0]; }\n");
  CHECK(shell(folder, "antiphon check hello.yaml").code == 0);
  CHECK(contains(text, "\nantiphon explain deadlock-capacity\n"));
  CHECK(shell(folder, "antiphon explain deadlock-capacity").code == 0);
}

TEST_CASE("groff sets the manual page without a warning") {
  const Folder folder;
  CHECK(shell(folder, "antiphon manual > antiphon.1").code == 0);
  for (const char c : folder.read("antiphon.1")) {
    REQUIRE(static_cast<unsigned char>(c) < 0x80);  // which every groff reads
  }
  if (is_here("groff")) {
    const auto set = shell(folder, "groff -man -ww -Tutf8 antiphon.1 > /dev/null");
    CHECK(set.code == 0);
    CHECK(set.err.empty());
    // What looks like a request is text: nothing of the help is lost.
    CHECK(contains(shell(folder, "groff -man -Tascii -P-cbou antiphon.1").out,
                   "antiphon convert blur.yaml --to sdf3"));
  }
  if (is_here("man")) {
    CHECK(shell(folder, "MANWIDTH=80 LC_ALL=C.UTF-8 man --warnings -l antiphon.1 > /dev/null")
              .err.empty());
  }
}
