// Names that are nearly what somebody wrote.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antiphon {

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, but at most
// `limit` + 1 (restricted Damerau-Levenshtein distance).
inline std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

// Up to four of `names` that `written` may have been meant for, the nearest first.
template <typename Names>
std::vector<std::string_view> similar_names(std::string_view written, const Names& names) {
  const std::size_t limit = std::max<std::size_t>(1, std::min<std::size_t>(3, written.size() / 3));
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto& name : names) {
    const std::string_view candidate(name);
    const auto distance = edit_distance(written, candidate, limit);
    if (distance <= limit) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> result;
  for (const auto& [distance, name] : near) {
    if (std::find(result.begin(), result.end(), name) == result.end()) result.push_back(name);
    if (result.size() == 4) break;
  }
  return result;
}

// "the nearest is 'kernel'", "the nearest are 'in' and 'on'"; empty when nothing is near.
template <typename Names>
std::string nearest_names(std::string_view written, const Names& names) {
  const auto near = similar_names(written, names);
  if (near.empty()) return {};
  std::string text = near.size() == 1 ? "the nearest is " : "the nearest are ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i != 0) text += i + 1 == near.size() ? " and " : ", ";
    text += "'";
    text += near[i];
    text += "'";
  }
  return text;
}

}  // namespace antiphon
