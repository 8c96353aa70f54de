// The third pass: can it ever stop. Knows the relation alone, so a plan's order waits are checked
// by the same means as a graph's channels.
#pragma once

#include "check/block_run.hpp"
#include "check/blocks.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// Told apart by relaxation: what still sticks without order waits and without space waits lacks
// data, what sticks without order waits alone lacks capacity.
enum class Deadlock { data, capacity, order };

// One part that is stuck for ever, whatever the rest does.
struct Stuck {
  Deadlock kind = Deadlock::data;
  Block block;  // of the waits that count for this kind
  std::vector<Hop> path;
};

struct Liveness {
  std::vector<Stuck> stuck;
  bool undecided = false;  // the budget ran out
  bool lives() const noexcept { return stuck.empty() && !undecided; }
};

// Proves that all timelines go on for ever, or finds all that do not: each stuck part once, under
// the first kind in the order above that it sticks by. `repetitions` balance all waits; a wait of
// which neither end ever moves is balanced by any. Takes what it uses, in steps of BlockRun, from
// the budget.
Liveness examine(const relation::Relation& relation, const std::vector<std::int64_t>& repetitions,
                 std::int64_t& budget);

// The same for waits of some kinds, without looking for the reason: those blocks that are stuck.
Liveness examine(const relation::Relation& relation, const std::vector<std::int64_t>& repetitions,
                 Kinds kinds, std::int64_t& budget);

}  // namespace antiphon::analysis
