#include "check/components.hpp"

#include <algorithm>

namespace antiphon::analysis {

namespace {

using relation::TimelineId;

constexpr std::uint32_t unseen = UINT32_MAX;

struct Frame {
  TimelineId at;
  std::uint32_t next;  // arc to look at
};

}  // namespace

Components strong_components(std::size_t timelines, const Adjacency& graph) {
  Components result{std::vector<std::uint32_t>(timelines, unseen), 0};
  auto& component = result.of;
  std::vector<std::uint32_t> number(timelines, unseen);
  std::vector<std::uint32_t> low(timelines, 0);
  std::vector<TimelineId> open;
  std::vector<Frame> path;
  std::uint32_t seen = 0;
  for (TimelineId root = 0; root < timelines; ++root) {
    if (number[root] != unseen) continue;
    path.push_back({root, graph.begin[root]});
    number[root] = low[root] = seen++;
    open.push_back(root);
    while (!path.empty()) {
      auto& frame = path.back();
      const auto at = frame.at;
      if (frame.next < graph.begin[at + 1]) {
        const auto to = graph.arcs[frame.next++].to;
        if (number[to] == unseen) {
          number[to] = low[to] = seen++;
          open.push_back(to);
          path.push_back({to, graph.begin[to]});
        } else if (component[to] == unseen) {
          low[at] = std::min(low[at], number[to]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back().at] = std::min(low[path.back().at], low[at]);
      if (low[at] != number[at]) continue;
      for (;;) {
        const auto member = open.back();
        open.pop_back();
        component[member] = result.count;
        if (member == at) break;
      }
      ++result.count;
    }
  }
  return result;
}

}  // namespace antiphon::analysis
