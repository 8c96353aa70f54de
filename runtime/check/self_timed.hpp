// Fires a graph from its start, each firing as soon as it can, and keeps when each one ended.
#pragma once

#include "base/int128.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// Firing n of `source` does not start before n * step.
struct Arrivals {
  relation::TimelineId source = 0;
  std::int64_t step = 0;  // in the unit that times are kept in
};

// The simplest way to run one, with memory for every firing: for the few before a graph is past its
// initial phases, or until a first message is through.
class SelfTimed {
 public:
  // Costs are taken `scale` times. The relation must outlive it.
  SelfTimed(const relation::Relation& relation, std::int64_t scale, const Arrivals& arrivals)
      : relation_(relation),
        scale_(scale),
        arrivals_(arrivals),
        runs_(relation.timelines.size()),
        goals_(relation.timelines.size(), 0) {}

  // Until `timeline` has fired so often, and those that it needs as often as it needs them. False:
  // that takes more than `budget` firings in all, or some can never happen.
  bool reach(relation::TimelineId timeline, std::int64_t firings, std::int64_t budget);

  // REQUIRES: reach()ed.
  Int128 start(relation::TimelineId timeline, std::int64_t firing) const {
    return runs_[timeline].starts[static_cast<std::size_t>(firing)];
  }
  Int128 end(relation::TimelineId timeline, std::int64_t firing) const {
    return runs_[timeline].ends[static_cast<std::size_t>(firing)];
  }
  // When `count` firings had ended, as those that wait for them see it.
  Int128 reached(relation::TimelineId timeline, std::int64_t count) const {
    return count <= 0 ? 0 : runs_[timeline].published[static_cast<std::size_t>(count - 1)];
  }

 private:
  struct Run {
    std::vector<Int128> starts;
    std::vector<Int128> ends;
    std::vector<Int128> published;  // in order: the latest end so far
  };

  bool fire(relation::TimelineId timeline);

  const relation::Relation& relation_;
  std::int64_t scale_;
  Arrivals arrivals_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> goals_;
};

}  // namespace antiphon::analysis
