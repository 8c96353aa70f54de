#include "cli/fix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

namespace antiphon::cli {

namespace {

// Where a place lies in the text that it was read from. That text is `text` but for a byte order
// mark, which places do not count.
std::size_t offset_of(const Place& place, const std::string& text) {
  std::size_t at = text.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    const auto end = text.find('\n', at);
    if (end == std::string::npos) return text.size();
    at = end + 1;
  }
  return std::min(at + place.column - 1, text.size());
}

}  // namespace

Fixed fix(const std::string& text, const Report& report) {
  Fixed fixed;
  // By place: the largest that anybody asks for.
  std::map<std::size_t, std::pair<std::size_t, const Repair*>> changes;
  for (const auto& d : report.diagnostics) {
    const bool can = !d.repairs.empty() &&
                     std::all_of(d.repairs.begin(), d.repairs.end(), [](const Repair& repair) {
                       return repair.of == Repair::Of::capacity && repair.place.known();
                     });
    if (!can) continue;
    std::map<std::size_t, std::pair<std::size_t, const Repair*>> own;
    bool all = true;
    for (const auto& repair : d.repairs) {
      const auto at = offset_of(repair.place, text);
      const auto written = text.substr(at, repair.place.length);
      if (written == std::to_string(repair.from)) {
        own.insert_or_assign(at, std::pair{written.size(), &repair});
        continue;
      }
      all = false;
      fixed.by_hand.push_back(fmt::format(
          "{}:{}:{}: the capacity of '{}' would have to be {}, and is written as '{}': change it "
          "by hand",
          repair.place.source->name, repair.place.line, repair.place.column, repair.channel,
          repair.to, written));
    }
    if (!all) continue;
    for (const auto& [at, change] : own) {
      const auto known = changes.find(at);
      if (known == changes.end() || known->second.second->to < change.second->to) {
        changes.insert_or_assign(at, change);
      }
    }
  }
  std::size_t copied = 0;
  for (const auto& [at, change] : changes) {
    const auto& [length, repair] = change;
    fixed.text.append(text, copied, at - copied);
    fixed.text += std::to_string(repair->to);
    copied = at + length;
    fixed.done.push_back(fmt::format(
        "{}:{}:{}: capacity of '{}' {} -> {}", repair->place.source->name, repair->place.line,
        repair->place.column, repair->channel, repair->from, repair->to));
  }
  fixed.text.append(text, copied);
  return fixed;
}

}  // namespace antiphon::cli
