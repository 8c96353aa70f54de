#include "check/liveness.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;

// Fewer waits make more and smaller blocks: each lies within one of the blocks of more waits. A
// wait upon oneself is a block by itself at every stage.
class Within {
 public:
  explicit Within(const std::vector<Stuck>& smaller) {
    for (const auto& s : smaller) by_first_[s.block.timelines.front()].push_back(&s.block);
  }

  bool any(const Block& block) const {
    for (const auto t : block.timelines) {
      const auto found = by_first_.find(t);
      if (found == by_first_.end()) continue;
      for (const auto* smaller : found->second) {
        if ((smaller->timelines.size() == 1) != (block.timelines.size() == 1)) continue;
        if (std::includes(block.timelines.begin(), block.timelines.end(),
                          smaller->timelines.begin(), smaller->timelines.end())) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  std::unordered_map<TimelineId, std::vector<const Block*>> by_first_;
};

// A wait whose source moves something in its initial phases only, and too little: the waiter is
// stuck whether or not there is a closed path. Elsewhere a source that goes on for ever gives
// without end.
std::optional<Hop> never_fulfilled(const Relation& relation, std::uint32_t index) {
  const auto& w = relation.waits[index];
  const auto& gain = relation.gain(w);
  if (gain.sum() > 0 || w.source == w.waiter) return std::nullopt;
  const auto fired = relation.allowed(w, gain.initial_phases());
  if (!fired) return std::nullopt;
  return Hop{w.waiter, *fired, index, gain.initial_phases(), std::nullopt};
}

}  // namespace

Liveness examine(const Relation& relation, const std::vector<std::int64_t>& repetitions,
                 Kinds kinds, std::int64_t& budget) {
  Liveness result;
  // Per wait: which of those that are stuck it makes so; none: unseen.
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> unfulfilled(relation.waits.size(), none);
  for (std::uint32_t i = 0; i < relation.waits.size(); ++i) {
    const auto& w = relation.waits[i];
    if (!counts(w, kinds)) continue;
    if (const auto hop = never_fulfilled(relation, i)) {
      unfulfilled[i] = static_cast<std::uint32_t>(result.stuck.size());
      Block block{{std::min(w.waiter, w.source), std::max(w.waiter, w.source)}, {i}};
      result.stuck.push_back({Deadlock::data, std::move(block), {*hop}});
    }
  }
  // A block is one part: all that is wrong with it has to be cured together. So the first such wait
  // in it speaks for it, and others that it has are left out.
  std::vector<bool> spoken_for(result.stuck.size());
  const auto is_known_stuck = [&](Block& block) {
    auto first = none;
    for (const auto i : block.waits) {
      if (unfulfilled[i] == none) continue;
      if (first == none) {
        first = unfulfilled[i];
      } else {
        spoken_for[unfulfilled[i]] = true;
      }
    }
    if (first == none) return false;
    result.stuck[first].block = std::move(block);
    return true;
  };
  for (auto& block : blocks(relation, kinds)) {
    if (is_live_pair(relation, block) || is_known_stuck(block)) continue;
    BlockRun run(relation, block, repetitions);
    switch (run.run(budget)) {
      case BlockRun::State::lives:
        break;
      case BlockRun::State::undecided:
        result.undecided = true;
        break;
      case BlockRun::State::stuck:
        result.stuck.push_back({Deadlock::data, std::move(block), run.stalled_path()});
        break;
    }
  }
  for (auto i = spoken_for.size(); i-- > 0;) {
    if (spoken_for[i]) result.stuck.erase(result.stuck.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return result;
}

Liveness examine(const Relation& relation, const std::vector<std::int64_t>& repetitions,
                 std::int64_t& budget) {
  auto for_data = budget;
  auto for_capacity = budget;
  auto all = examine(relation, repetitions, Kinds{}, budget);
  // Fewer waits hold up no more: where nothing sticks with all of them, nothing does with less.
  if (all.stuck.empty()) return all;
  // It is stuck: no more is to be proved, and finding the reason may cost as much again.
  auto data = examine(relation, repetitions, Kinds{.space = false, .order = false}, for_data);
  // A graph by itself has no orders, and has been seen without them.
  const bool ordered =
      std::any_of(relation.waits.begin(), relation.waits.end(),
                  [](const relation::Wait& w) { return w.kind == relation::WaitKind::order; });
  auto capacity =
      ordered ? examine(relation, repetitions, Kinds{.space = true, .order = false}, for_capacity)
              : std::exchange(all, Liveness{{}, all.undecided});
  Liveness result;
  result.undecided = all.undecided || data.undecided || capacity.undecided;
  // A later stage says only what no earlier one explains.
  const auto keep = [&](std::vector<Stuck>& found, Deadlock kind) {
    const Within explained(result.stuck);
    std::vector<Stuck> fresh;
    for (auto& stuck : found) {
      if (explained.any(stuck.block)) continue;
      stuck.kind = kind;
      fresh.push_back(std::move(stuck));
    }
    std::move(fresh.begin(), fresh.end(), std::back_inserter(result.stuck));
  };
  keep(data.stuck, Deadlock::data);
  keep(capacity.stuck, Deadlock::capacity);
  keep(all.stuck, Deadlock::order);
  return result;
}

}  // namespace antiphon::analysis
