#include "table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace perf {

namespace {

double quantile(std::vector<double> samples, double q) {
  std::sort(samples.begin(), samples.end());
  const auto at = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
}

std::string number(std::optional<double> value) {
  if (!value) return "-";
  return *value >= 1000 ? fmt::format("{:.0f}", *value) : fmt::format("{:.3g}", *value);
}

}  // namespace

double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

double spread(std::vector<double> samples) {
  const auto middle = quantile(samples, 0.5);
  return middle == 0 ? 0 : (quantile(samples, 0.75) - quantile(samples, 0.25)) / middle;
}

Figures figures(const Row& row, const std::vector<double>& ours, const std::vector<double>& other) {
  Figures result;
  result.row = row;
  result.ours = median(ours);
  result.spread = spread(ours);
  result.other = row.limit;
  if (!other.empty()) result.other = median(other);
  if (result.other) {
    result.ratio = row.less_is_better ? *result.other / result.ours : result.ours / *result.other;
  }
  result.holds = !row.floor || (result.ratio && *result.ratio >= *row.floor);
  return result;
}

Figures failed(const Row& row, std::string why) {
  Figures result;
  result.row = row;
  result.holds = false;
  result.failure = std::move(why);
  return result;
}

std::string as_text(const std::vector<Figures>& table) {
  std::size_t width = 4;
  for (const auto& f : table) width = std::max(width, f.row.name.size());
  auto text = fmt::format("{:<{}}  {:>10}  {:>6}  {:>10}  {:<6}  {:>7}  {:>7}  {}\n", "name", width,
                          "ours", "spread", "other", "unit", "ratio", "floor", "holds");
  for (const auto& f : table) {
    if (!f.failure.empty()) {
      text += fmt::format("{:<{}}  failed: {}\n", f.row.name, width, f.failure);
      continue;
    }
    text +=
        fmt::format("{:<{}}  {:>10}  {:>6}  {:>10}  {:<6}  {:>7}  {:>7}  {}\n", f.row.name, width,
                    number(f.ours), fmt::format("{:.0f} %", 100 * f.spread), number(f.other),
                    f.row.unit, f.ratio ? fmt::format("{:.2f}", *f.ratio) : "-",
                    f.row.floor ? fmt::format("{:.2f}", *f.row.floor) : "-",
                    f.row.floor ? (f.holds ? "yes" : "NO") : "-");
  }
  return text;
}

std::string as_json(const std::vector<Figures>& table) {
  auto rows = nlohmann::json::array();
  const auto or_null = [](std::optional<double> value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
  };
  for (const auto& f : table) {
    nlohmann::json row{{"name", f.row.name},
                       {"unit", f.row.unit},
                       {"ours", f.ours},
                       {"spread", f.spread},
                       {"other", or_null(f.other)},
                       {"ratio", or_null(f.ratio)},
                       {"floor", or_null(f.row.floor)},
                       {"holds", f.holds}};
    if (!f.failure.empty()) row["failure"] = f.failure;
    rows.push_back(std::move(row));
  }
  return rows.dump(2);
}

}  // namespace perf
