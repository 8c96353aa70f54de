#include "cli/bounds_verb.hpp"

#include "cli/output.hpp"

#include <antiphon/render.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(The answer is exact: an iteration takes at least so long in the long run, and there is a schedule
that needs no longer. Actors without a cost take no time.

Exit codes: as those of `antiphon check`; 3 also where a bound is not decided within the budget.

Examples:
  antiphon bounds video.yaml -D width=1920 -D height=1080
  antiphon bounds --format json h263.xml)";

bool undecided_bound(const Bounds& bounds) {
  for (const auto* bound : {&bounds.given, &bounds.unlimited, &bounds.serial}) {
    if (bound->state != Bound::State::exact) return true;
  }
  return false;
}

}  // namespace

BoundsVerb::BoundsVerb(CLI::App& app)
    : verb_(*app.add_subcommand("bounds", "Say how fast graphs can be, and what limits them")),
      input_(verb_) {
  verb_.add_option("--format", format_, "text, or json as docs/report.md describes")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb_
      .add_option("--budget", options_.budget,
                  "Firings to walk through before a bound counts as undecided")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->type_name("FIRINGS")
      ->capture_default_str();
  verb_.add_flag("--all", all_, "All steps and actors, however many");
  verb_.footer(std::string(footer));
}

ExitCode BoundsVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon bounds: %s\n", fault.c_str());
    return wrong_call;
  }
  const bool json = format_ == "json";
  Output output("bounds", json, input_.files().size());
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    Bounds found;
    try {
      found = bounds(input_.load(file), options_);
    } catch (const UnreadableGraph& error) {
      found.report = error.report();
    }
    code = weightier(code, code_of(found.report.verdict));
    if (found.report.verdict == Verdict::valid && undecided_bound(found)) {
      code = weightier(code, undecided);
    }
    output.part(json ? render_json(found)
                     : render_text(found, {.color = colors("auto"), .all = all_}));
  }
  return output.finish(code);
}

}  // namespace antiphon::cli
