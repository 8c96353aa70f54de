#include "cli/size_verb.hpp"

#include "base/int128.hpp"
#include "base/rational.hpp"
#include "cli/output.hpp"
#include "graph/model.hpp"

#include <antiphon/render.hpp>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(The capacities that the graphs have are not looked at. What is least is bytes, or messages in SDF3
files, where a self-loop that keeps an actor from overlapping itself is not sized.

With --throughput also the least for so many iterations a second (in SDF3 files, in one unit of the
file's time). With --pareto what each speed costs: each row is the least for whatever is faster than
the row before.

Exit codes: as those of `antiphon check`; 3 where the least was not proved within the budget.

Examples:
  antiphon size video.yaml -D width=1920 -D height=1080
  antiphon size --throughput 60 --pareto video.yaml
  antiphon size --throughput 1/960 --format json h263.xml)";

constexpr std::string_view speeds = "a throughput is a number above 0, as 60, 59.94 or 1/960";

// "60", "59.94", "1/960" as a fraction; nothing: it is none above 0, or too long.
std::optional<Rational> fraction(const std::string& text) {
  const auto number = [](std::string_view digits) -> std::optional<Rational> {
    std::int64_t value = 0;
    std::int64_t scale = 1;
    bool point = false;
    bool any = false;
    for (const char c : digits) {
      if (c == '.' && !point) {
        point = true;
        continue;
      }
      if (c < '0' || c > '9' || value > INT64_MAX / 100 || scale > 1'000'000'000) {
        return std::nullopt;
      }
      any = true;
      value = 10 * value + (c - '0');
      if (point) scale *= 10;
    }
    if (!any || value == 0) return std::nullopt;
    return Rational(value, scale);
  };
  const auto slash = text.find('/');
  const auto over = number(std::string_view(text).substr(0, slash));
  if (slash == std::string::npos || !over) return over;
  const auto under = number(std::string_view(text).substr(slash + 1));
  if (!under) return std::nullopt;
  const auto top = Int128{over->numerator()} * under->denominator();
  const auto bottom = Int128{over->denominator()} * under->numerator();
  const auto common = gcd(top, bottom);
  if (top / common > INT64_MAX / 4 || bottom / common > INT64_MAX / 4) return std::nullopt;
  return Rational(static_cast<std::int64_t>(top / common),
                  static_cast<std::int64_t>(bottom / common));
}

// The period that goes with a throughput; times are in ns unless the file has units of its own.
std::optional<Fraction> period_of(const Rational& throughput, bool nanoseconds) {
  const auto top = Int128{throughput.denominator()} * (nanoseconds ? 1'000'000'000 : 1);
  const auto common = gcd(top, throughput.numerator());
  if (top / common > INT64_MAX / 4) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(top / common),
                  static_cast<std::int64_t>(throughput.numerator() / common)};
}

bool proved(const Sizing& sizing) {
  return sizing.state == Sizing::State::least || sizing.state == Sizing::State::impossible;
}

bool all_proved(const Sizes& sizes) {
  return proved(sizes.live) && proved(sizes.full) && (!sizes.asked || proved(*sizes.asked)) &&
         (sizes.front.empty() || sizes.front_whole);
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
  verb_.add_option("--throughput", throughput_, "Also what so many iterations a second need")
      ->type_name("RATE");
  verb_.add_flag("--pareto", options_.front, "Also what each speed needs");
  verb_.footer(std::string(footer));
}

ExitCode SizeVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon size: %s\n", fault.c_str());
    return wrong_call;
  }
  std::optional<Rational> throughput;
  if (!throughput_.empty() && !(throughput = fraction(throughput_))) {
    std::fprintf(stderr, "antiphon size: --throughput %s: %s\n", throughput_.c_str(),
                 std::string(speeds).c_str());
    return wrong_call;
  }
  const bool json = format_ == "json";
  Output output("size", json, input_.files().size());
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    Sizes found;
    try {
      const auto graph = input_.load(file);
      auto options = options_;
      if (throughput) {
        options.period = period_of(*throughput, graph.model().semantics == Semantics::antiphon);
        if (!options.period) {
          std::fprintf(stderr, "antiphon size: --throughput %s: its period does not fit 62 bits\n",
                       throughput_.c_str());
          return wrong_call;
        }
      }
      found = sizes(graph, options);
    } catch (const UnreadableGraph& error) {
      found.report = error.report();
    }
    code = weightier(code, code_of(found.report.verdict));
    if (found.report.verdict == Verdict::valid && !all_proved(found)) {
      code = weightier(code, undecided);
    }
    output.part(json ? render_json(found) : render_text(found, {.color = colors("auto")}));
  }
  return output.finish(code);
}

}  // namespace antiphon::cli
