#include "cli/check_verb.hpp"

#include "cli/fix.hpp"
#include "cli/new_file.hpp"
#include "cli/output.hpp"

#include <antiphon/render.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
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
  antiphon check --fix blur.yaml
  antiphon check --device workstation.json blur.yaml
  antiphon check --format json a.yaml b.xml > report.json
  generate | antiphon check -)";

}  // namespace

CheckVerb::CheckVerb(CLI::App& app)
    : verb_(*app.add_subcommand(
          "check", "Check graph files: structure, rates, kernels, and whether they can ever stop")),
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
  verb_
      .add_option("--device", device_,
                  "Hold the graphs against this device, too: a profile that `antiphon devices "
                  "--json` wrote, here or elsewhere")
      ->type_name("FILE");
  verb_
      .add_option("--threads", options_.threads,
                  "Threads that are to run CPU actors; unless said, as many as it takes")
      ->check(CLI::Range(1U, 1024U))
      ->type_name("N");
  verb_.add_flag("--no-kernels", no_kernels_, "Leave kernels unread");
  verb_.add_option("--color", color_, "Colours: auto (on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  verb_.add_flag("--fix", fix_,
                 "Write the capacities that help into the files, and leave all else as it is");
  verb_.add_flag("--all", all_,
                 "All that was found; on a terminal it is the first error and how many more");
  verb_.footer(std::string(footer));
}

// Writes what helps into the file, and checks again, until nothing more does. False: the file could
// not be written, which is said.
bool CheckVerb::fix_file(const std::string& file, Report& report) const {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream read;
  read << stream.rdbuf();
  const auto before = read.str();
  auto text = before;
  std::vector<std::string> done;
  // Capacities only grow, or the report gets shorter; more rounds than this are none that help.
  constexpr int most_rounds = 16;
  for (int round = 0; round < most_rounds && report.verdict == Verdict::invalid; ++round) {
    auto fixed = fix(text, report);
    if (round == 0) {
      for (const auto& line : fixed.by_hand) std::fprintf(stderr, "%s\n", line.c_str());
    }
    if (fixed.done.empty()) break;
    auto again = check(input_.parse(fixed.text, file), options_);
    const auto errors = [](const Report& r) {
      return std::count_if(r.diagnostics.begin(), r.diagnostics.end(),
                           [](const Diagnostic& d) { return d.severity == Severity::error; });
    };
    if (again.verdict == Verdict::invalid && errors(again) > errors(report)) break;
    text = std::move(fixed.text);
    report = std::move(again);
    done.insert(done.end(), fixed.done.begin(), fixed.done.end());
  }
  if (text == before) return true;
  if (const auto fault = write_new_file(file, text, true); !fault.empty()) {
    std::fprintf(stderr, "antiphon check: %s\n", fault.c_str());
    return false;
  }
  for (const auto& line : done) std::fprintf(stderr, "%s\n", line.c_str());
  report = check(input_.load(file), options_);
  return true;
}

ExitCode CheckVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon check: %s\n", fault.c_str());
    return wrong_call;
  }
  const auto& files = input_.files();
  if (fix_ && std::find(files.begin(), files.end(), "-") != files.end()) {
    std::fprintf(stderr, "antiphon check: --fix writes into files, and - is none\n");
    return wrong_call;
  }
  options_.kernels = !no_kernels_;
  if (!device_.empty()) {
    try {
      options_.device = load_device_profile(device_);
    } catch (const Error& error) {
      std::fprintf(stderr, "antiphon check: %s\n", error.what());
      return wrong_call;
    }
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
      if (fix_ && report.verdict == Verdict::invalid && !fix_file(file, report)) {
        code = weightier(code, wrong_call);
      }
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
