// How large channels must be, for a person and for a program.
#include "base/quantities.hpp"
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

std::string text(const Fraction& p) {
  return p.denominator == 1 ? fmt::format("{}", p.numerator)
                            : fmt::format("{}/{}", p.numerator, p.denominator);
}

// "60/s", or as a fraction of the file's own unit of time.
std::string speed(const Fraction& period, bool bytes) {
  if (period.numerator == 0) return "no limit";
  return bytes ? fmt::format("{:.6g}/s", 1e9 / period.value())
               : fmt::format("{:.6g}", 1 / period.value());
}

std::string amount(std::int64_t total, bool bytes) {
  if (!bytes) return fmt::format("{} message{}", total, total == 1 ? "" : "s");
  return bytes_text(total);
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
  const auto& p = sizing.period;
  return Json{{"state", word(sizing.state)},
              {"total", any ? Json(sizing.total) : Json(nullptr)},
              {"proved", sizing.state == Sizing::State::least},
              {"bound", sizing.bound},
              {"period", p == Fraction{} ? Json(nullptr) : Json(text(p))},
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
  if (sizes.asked) {
    out += fmt::format("  to be as asked      {}\n",
                       sentence(*sizes.asked, sizes.bytes,
                                fmt::format("no capacities do: {} is the best",
                                            speed(sizes.period, sizes.bytes))));
  }
  if (sizes.actors_without_cost > 0) {
    out += fmt::format("note: {} of {} actors have no cost, so they count as taking no time\n",
                       sizes.actors_without_cost, sizes.report.actors.size());
  }
  std::size_t width = 7;
  for (const auto& name : sizes.channels) width = std::max(width, name.size());
  const auto cell = [](const Sizing& sizing, std::size_t c) {
    if (sizing.capacities.empty()) return std::string("-");
    return sizing.capacities[c] > 0 ? fmt::format("{}", sizing.capacities[c])
                                    : std::string("not sized");
  };
  const auto row = [&](std::string_view name, auto&& of) {
    out += fmt::format("{:<{}}  {:>12}  {:>12}", name, width, of(sizes.live, "to live"),
                       of(sizes.full, "at its best"));
    if (sizes.asked) out += fmt::format("  {:>12}", of(*sizes.asked, "as asked"));
    out += "\n";
  };
  row("channel", [](const Sizing&, std::string_view title) { return std::string(title); });
  for (std::size_t c = 0; c < sizes.channels.size(); ++c) {
    row(report::plain(sizes.channels[c]),
        [&](const Sizing& sizing, std::string_view) { return cell(sizing, c); });
  }
  if (!sizes.front.empty()) {
    out += fmt::format("{:>12}  {:>16}  {}\n", "throughput", "costs at least", "capacities");
    for (const auto& point : sizes.front) {
      std::string capacities;
      for (const auto c : point.capacities) {
        if (!capacities.empty()) capacities += ' ';
        capacities += c > 0 ? fmt::format("{}", c) : std::string("-");
      }
      out += fmt::format("{:>12}  {:>16}  {}\n", speed(point.period, sizes.bytes),
                         amount(point.total, sizes.bytes), capacities);
    }
    if (!sizes.front_whole) out += "… what follows was not found within the budget\n";
  }
  return out;
}

std::string render_json(const Sizes& sizes) {
  if (sizes.report.verdict != Verdict::valid) return render_json(sizes.report);
  Json json{{"graph", sizes.report.graph},
            {"verdict", "valid"},
            {"unit", sizes.bytes ? "bytes" : "messages"},
            {"actors_without_cost", sizes.actors_without_cost},
            {"period", text(sizes.period)},
            {"live", to_json(sizes.live, sizes.channels)},
            {"full", to_json(sizes.full, sizes.channels)},
            {"asked", sizes.asked ? to_json(*sizes.asked, sizes.channels) : Json(nullptr)},
            {"front", Json::array()},
            {"front_whole", sizes.front_whole}};
  for (const auto& point : sizes.front) json["front"].push_back(to_json(point, sizes.channels));
  return report::dump(json);
}

}  // namespace antiphon
