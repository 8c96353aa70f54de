#include "cli/check_verb.hpp"

#include "cli/output.hpp"

#include <antiphon/render.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(Exit codes:
  0  all graphs are valid
  1  a graph is invalid
  2  a file could not be read, or the call is wrong
  3  a graph is undecided: the budget ran out
Of several files the weightiest counts: 2 over 1 over 3 over 0.

Examples:
  antiphon check blur.yaml
  antiphon check blur.yaml -D width=1920 -D height=1080
  antiphon check --format json a.yaml b.xml > report.json
  generate | antiphon check -)";

}  // namespace

CheckVerb::CheckVerb(CLI::App& app)
    : verb_(*app.add_subcommand(
          "check", "Check graph files: structure, rates, and whether they can ever stop")),
      input_(verb_) {
  verb_
      .add_option("--format", format_,
                  "text; json as docs/report.md describes; or sarif for code hosts")
      ->check(CLI::IsMember({"text", "json", "sarif"}))
      ->capture_default_str();
  verb_
      .add_option("--budget", options_.budget, "Steps of search before a graph counts as undecided")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->type_name("STEPS")
      ->capture_default_str();
  verb_.add_option("--color", color_, "Colours: auto (on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  verb_.add_flag("--all", all_,
                 "All that was found; on a terminal it is the first error and how many more");
  verb_.footer(std::string(footer));
}

ExitCode CheckVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon check: %s\n", fault.c_str());
    return wrong_call;
  }
  const bool json = format_ == "json";
  const TextOptions text{.color = colors(color_), .all = all_ || !on_terminal()};
  const bool sarif = format_ == "sarif";
  Output output("check", json, sarif ? 1 : input_.files().size());
  std::vector<Report> reports;
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    Report report;
    try {
      report = check(input_.load(file), options_);
    } catch (const UnreadableGraph& error) {
      report = error.report();
    }
    code = weightier(code, code_of(report.verdict));
    if (sarif) {
      reports.push_back(std::move(report));
    } else {
      output.part(json ? render_json(report) : render_text(report, text));
    }
  }
  if (sarif) output.part(render_sarif(reports));
  return output.finish(code);
}

}  // namespace antiphon::cli
