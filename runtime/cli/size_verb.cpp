#include "cli/size_verb.hpp"

#include "cli/output.hpp"

#include <antiphon/render.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(The capacities that the graphs have are not looked at. What is least is bytes, or messages in SDF3
files, where a self-loop that keeps an actor from overlapping itself is not sized.

Exit codes: as those of `antiphon check`; 3 where the least was not proved within the budget.

Examples:
  antiphon size video.yaml -D width=1920 -D height=1080
  antiphon size --format json h263.xml)";

bool proved(const Sizing& sizing) {
  return sizing.state == Sizing::State::least || sizing.state == Sizing::State::impossible;
}

}  // namespace

SizeVerb::SizeVerb(CLI::App& app)
    : verb_(*app.add_subcommand("size", "Say how large the channels of graphs must be")),
      input_(verb_) {
  verb_.add_option("--format", format_, "text, or json as docs/report.md describes")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb_
      .add_option("--budget", options_.budget, "Steps of search before it gives what it has found")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->type_name("STEPS")
      ->capture_default_str();
  verb_.footer(std::string(footer));
}

ExitCode SizeVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon size: %s\n", fault.c_str());
    return wrong_call;
  }
  const bool json = format_ == "json";
  Output output("size", json, input_.files().size());
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    Sizes found;
    try {
      found = sizes(input_.load(file), options_);
    } catch (const UnreadableGraph& error) {
      found.report = error.report();
    }
    code = weightier(code, code_of(found.report.verdict));
    if (found.report.verdict == Verdict::valid && (!proved(found.live) || !proved(found.full))) {
      code = weightier(code, undecided);
    }
    output.part(json ? render_json(found) : render_text(found, {.color = colors("auto")}));
  }
  return output.finish(code);
}

}  // namespace antiphon::cli
