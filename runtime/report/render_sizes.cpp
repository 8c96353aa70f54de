// How large channels must be, for a person and for a program.
#include "report/json.hpp"
#include "report/plain_text.hpp"

#include <antiphon/render.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace antiphon {

namespace {

using report::Json;

const char* word(Sizing::State state) {
  switch (state) {
    case Sizing::State::least:
      return "least";
    case Sizing::State::found:
      return "found";
    case Sizing::State::impossible:
      return "impossible";
    case Sizing::State::undecided:
      return "undecided";
  }
  return "undecided";
}

std::string amount(std::int64_t total, bool bytes) {
  if (!bytes) return fmt::format("{} message{}", total, total == 1 ? "" : "s");
  for (const auto& [unit, scale] :
       {std::pair{"GiB", 30}, std::pair{"MiB", 20}, std::pair{"KiB", 10}}) {
    const auto size = static_cast<double>(std::int64_t{1} << scale);
    if (static_cast<double>(total) >= size) {
      return fmt::format("{:.4g} {}", static_cast<double>(total) / size, unit);
    }
  }
  return fmt::format("{} byte{}", total, total == 1 ? "" : "s");
}

std::string sentence(const Sizing& sizing, bool bytes, std::string_view impossible) {
  switch (sizing.state) {
    case Sizing::State::least:
      return amount(sizing.total, bytes) + ", and no less does";
    case Sizing::State::found: {
      const auto total = static_cast<double>(sizing.total);
      return fmt::format("{}; no less than {} does ({:.2g} % below)", amount(sizing.total, bytes),
                         amount(sizing.bound, bytes),
                         100 * (total - static_cast<double>(sizing.bound)) / total);
    }
    case Sizing::State::impossible:
      return std::string(impossible);
    case Sizing::State::undecided:
      return "not known within the budget";
  }
  return {};
}

Json to_json(const Sizing& sizing, const std::vector<std::string>& channels) {
  Json capacities = Json::object();
  for (std::size_t c = 0; c < sizing.capacities.size(); ++c) {
    if (sizing.capacities[c] > 0) capacities[channels[c]] = sizing.capacities[c];
  }
  const bool any = !sizing.capacities.empty();
  return Json{{"state", word(sizing.state)},
              {"total", any ? Json(sizing.total) : Json(nullptr)},
              {"proved", sizing.state == Sizing::State::least},
              {"bound", sizing.bound},
              {"capacities", std::move(capacities)}};
}

}  // namespace

std::string render_text(const Sizes& sizes, const TextOptions& options) {
  if (sizes.report.verdict != Verdict::valid) return render_text(sizes.report, options);
  std::string out = fmt::format("graph '{}'\n", report::plain(sizes.report.graph));
  out += fmt::format("  to live             {}\n",
                     sentence(sizes.live, sizes.bytes, "no capacities do"));
  out += fmt::format(
      "  to be at its best   {}\n",
      sentence(sizes.full, sizes.bytes, "no capacities do: with unlimited ones nothing limits it"));
  std::size_t width = 7;
  for (const auto& name : sizes.channels) width = std::max(width, name.size());
  out += fmt::format("{:<{}}  {:>12}  {:>12}\n", "channel", width, "to live", "at its best");
  const auto cell = [](const Sizing& sizing, std::size_t c) {
    if (sizing.capacities.empty()) return std::string("-");
    return sizing.capacities[c] > 0 ? fmt::format("{}", sizing.capacities[c])
                                    : std::string("not sized");
  };
  for (std::size_t c = 0; c < sizes.channels.size(); ++c) {
    out += fmt::format("{:<{}}  {:>12}  {:>12}\n", report::plain(sizes.channels[c]), width,
                       cell(sizes.live, c), cell(sizes.full, c));
  }
  return out;
}

std::string render_json(const Sizes& sizes) {
  if (sizes.report.verdict != Verdict::valid) return render_json(sizes.report);
  const auto& p = sizes.period;
  return report::dump(
      Json{{"graph", sizes.report.graph},
           {"verdict", "valid"},
           {"unit", sizes.bytes ? "bytes" : "messages"},
           {"period", p.denominator == 1 ? fmt::format("{}", p.numerator)
                                         : fmt::format("{}/{}", p.numerator, p.denominator)},
           {"live", to_json(sizes.live, sizes.channels)},
           {"full", to_json(sizes.full, sizes.channels)}});
}

}  // namespace antiphon
