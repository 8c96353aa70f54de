#include "check/blocks.hpp"

#include "check/components.hpp"

#include <algorithm>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;
using relation::Wait;
using relation::WaitKind;

constexpr std::uint32_t unseen = UINT32_MAX;

struct Frame {
  TimelineId at;
  std::uint32_t next;         // arc to look at
  std::uint32_t parent_wait;  // the wait that led here
};

class Blocks {
 public:
  Blocks(std::size_t timelines, const Adjacency& graph, const Relation& relation)
      : graph_(graph),
        relation_(relation),
        number_(timelines, unseen),
        low_(timelines, 0),
        member_(timelines, unseen) {}

  std::vector<Block> take() {
    for (TimelineId root = 0; root < number_.size(); ++root) {
      if (number_[root] == unseen) search(root);
    }
    return std::move(result_);
  }

 private:
  void search(TimelineId root) {
    std::vector<Frame> path{{root, graph_.begin[root], unseen}};
    number_[root] = low_[root] = seen_++;
    while (!path.empty()) {
      auto& frame = path.back();
      const auto at = frame.at;
      if (frame.next < graph_.begin[at + 1]) {
        const auto [to, wait] = graph_.arcs[frame.next++];
        // By the wait, not by the timeline: a second wait between the same two closes a path.
        if (wait == frame.parent_wait) continue;
        if (number_[to] == unseen) {
          waits_.push_back(wait);
          number_[to] = low_[to] = seen_++;
          path.push_back({to, graph_.begin[to], wait});
        } else if (number_[to] < number_[at]) {
          waits_.push_back(wait);
          low_[at] = std::min(low_[at], number_[to]);
        }
        continue;
      }
      const auto entered_by = frame.parent_wait;
      path.pop_back();
      if (path.empty()) break;
      const auto parent = path.back().at;
      low_[parent] = std::min(low_[parent], low_[at]);
      if (low_[at] >= number_[parent]) close(entered_by);
    }
  }

  // All waits above the one that led into this block belong to it.
  void close(std::uint32_t first) {
    Block block;
    for (;;) {
      const auto wait = waits_.back();
      waits_.pop_back();
      block.waits.push_back(wait);
      if (wait == first) break;
    }
    const auto id = static_cast<std::uint32_t>(result_.size());
    for (const auto i : block.waits) {
      for (const auto t : {relation_.waits[i].waiter, relation_.waits[i].source}) {
        if (member_[t] == id) continue;
        member_[t] = id;
        block.timelines.push_back(t);
      }
    }
    std::sort(block.timelines.begin(), block.timelines.end());
    std::sort(block.waits.begin(), block.waits.end());
    result_.push_back(std::move(block));
  }

  const Adjacency& graph_;
  const Relation& relation_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> member_;  // the last block that a timeline was put into
  std::vector<std::uint32_t> waits_;
  std::uint32_t seen_ = 0;
  std::vector<Block> result_;
};

}  // namespace

bool counts(const Wait& wait, Kinds kinds) noexcept {
  switch (wait.kind) {
    case WaitKind::data:
      return true;
    case WaitKind::space:
      return kinds.space;
    case WaitKind::order:
      return kinds.order;
    case WaitKind::self:
      return false;
  }
  return false;
}

std::vector<Block> blocks(const Relation& relation, Kinds kinds) {
  const auto timelines = relation.timelines.size();
  const auto each_wait = [&](const auto& visit) {
    for (std::uint32_t i = 0; i < relation.waits.size(); ++i) {
      if (counts(relation.waits[i], kinds)) visit(i, relation.waits[i]);
    }
  };
  const Adjacency directed(timelines, [&](const auto& put) {
    each_wait([&](std::uint32_t i, const Wait& w) {
      if (w.source != w.waiter) put(w.waiter, Adjacency::Arc{w.source, i});
    });
  });
  const auto component = strong_components(timelines, directed).of;
  const Adjacency both_ways(timelines, [&](const auto& put) {
    each_wait([&](std::uint32_t i, const Wait& w) {
      if (w.source == w.waiter || component[w.source] != component[w.waiter]) return;
      put(w.waiter, Adjacency::Arc{w.source, i});
      put(w.source, Adjacency::Arc{w.waiter, i});
    });
  });
  auto result = Blocks(timelines, both_ways, relation).take();

  std::vector<std::vector<std::uint32_t>> upon_oneself(timelines);
  each_wait([&](std::uint32_t i, const Wait& w) {
    if (w.source == w.waiter) upon_oneself[w.waiter].push_back(i);
  });
  for (TimelineId t = 0; t < timelines; ++t) {
    if (!upon_oneself[t].empty()) result.push_back({{t}, std::move(upon_oneself[t])});
  }
  return result;
}

}  // namespace antiphon::analysis
