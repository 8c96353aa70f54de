// What would make a stuck block live.
#pragma once

#include "check/blocks.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// A channel's capacity or initial messages, as they are and as they would do.
struct Change {
  std::uint32_t channel = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

struct CureOptions {
  // space: capacities grow; data: initial messages do.
  relation::WaitKind kind = relation::WaitKind::space;
  std::function<bool(std::uint32_t channel)> may_grow;
  std::function<std::int64_t(std::uint32_t channel)> now;
  // Steps that making each change as small as it goes may take; what is not made small then is up
  // to twice what is needed.
  std::int64_t most_for_small = INT64_MAX;
  // After so many stuck paths, one after another, whatever may grow grows at once wherever it holds
  // something up.
  int most_single_paths = 64;
};

// Changes with which the block lives, tried: each of them is needed, and none could be smaller
// while the others stay. Not the least in sum, which is NP-hard to find (Bhattacharyya, Murthy and
// Lee, 1996). Nothing where such channels alone cannot cure it, or the budget ran out before
// anything was found.
//
// Wherever the run sticks, one channel on the path that is stuck grows to twice its size or what is
// lacking; then each is made as small as the rest allows by bisection.
std::optional<std::vector<Change>> cure(const relation::Relation& relation, const Block& block,
                                        const std::vector<std::int64_t>& repetitions,
                                        const CureOptions& options, std::int64_t& budget);

}  // namespace antiphon::analysis
