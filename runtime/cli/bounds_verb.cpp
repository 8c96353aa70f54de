#include "cli/bounds_verb.hpp"

#include "cli/output.hpp"

#include <antiphon/error.hpp>
#include <antiphon/render.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(The answer is exact: an iteration takes at least so long in the long run, and there is a schedule
that needs no longer. Actors without a cost take no time.

A message's latency runs from when the source's firing may start to the end of the first firing of
the sink that it has a part in: `first` for the source's first firing, `steady` the longest once the
graph has found its pace.

Exit codes: as those of `antiphon check`; 3 also where a bound is not decided within the budget.

Examples:
  antiphon bounds video.yaml -D width=1920 -D height=1080
  antiphon bounds --from camera --to screen --every 16ms video.yaml
  antiphon bounds --format json h263.xml)";

bool undecided_bound(const Bounds& bounds) {
  for (const auto* bound : {&bounds.given, &bounds.unlimited, &bounds.serial}) {
    if (bound->state != Bound::State::exact) return true;
  }
  return std::any_of(bounds.latencies.begin(), bounds.latencies.end(), [](const Latency& latency) {
    return latency.state == Latency::State::undecided || latency.state == Latency::State::too_large;
  });
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
  verb_.add_flag(
      "--latency", latency_,
      "Also how long messages take from each actor without inputs to each without outputs");
  verb_.add_option("--from", question_.source, "Latency from this actor alone")->type_name("ACTOR");
  verb_.add_option("--to", question_.sink, "Latency to this actor alone")->type_name("ACTOR");
  const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  verb_
      .add_option("--every", interval_,
                  "Latency where the source may fire once in so long (a number is ns, or an SDF3 "
                  "file's own unit; ns, us, ms, s); else as often as the graph can take it")
      ->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::CASE_SENSITIVE))
      ->check(CLI::Range(0.0, 4e18))
      ->type_name("TIME");
  verb_.add_flag("--all", all_, "All steps and actors, however many");
  verb_.footer(std::string(footer));
}

ExitCode BoundsVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon bounds: %s\n", fault.c_str());
    return wrong_call;
  }
  if (interval_) {
    question_.interval = std::llround(*interval_);
    // Units are powers of ten, so what is no whole number is off by more than rounding is.
    if (std::abs(static_cast<double>(*question_.interval) - *interval_) > 1e-3) {
      std::fprintf(stderr,
                   "antiphon bounds: --every: the shortest time is 1 ns, or 1 of the file's "
                   "own units, and others are multiples of it\n");
      return wrong_call;
    }
  }
  if (latency_ || !question_.source.empty() || !question_.sink.empty() || interval_) {
    options_.latency = question_;
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
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::misuse) throw;
      std::fprintf(stderr, "antiphon bounds: %s: %s\n", file.c_str(), error.what());
      return wrong_call;
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
