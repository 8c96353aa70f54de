// A proof of life that does not depend on how long an iteration is.
#pragma once

#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// A block that has come so far.
struct BlockState {
  std::vector<relation::TimelineId> timelines;  // ascending
  std::vector<relation::Wait> waits;            // among them
  std::vector<std::int64_t> fired;              // per timeline of the block
  std::vector<std::int64_t> firings;  // per timeline of the block, in one of its iterations
};

// Whether the firings from this state on can be put into a strictly periodic order, each behind all
// that it waits for; then they can be made in that order, for ever. Sufficient, not necessary:
// false says nothing.
//
// Firing n of timeline a, phase f of its cycle j, gets the number S(a, f) + j / cycles(a). Each
// wait asks that S of the waiter's phase exceeds S of the source's by a constant, the worst over
// all pairs of cycles; that is a system of difference constraints, which has a solution unless its
// graph has a cycle of positive length. (Liveness by one-periodic schedules: Benazouz,
// Munier-Kordon, Hujsa and Bodin, 2013.) Everything is rounded towards "no" in integers, so an
// answer of yes is exact. Takes time that grows with phases, not firings.
bool has_periodic_order(const relation::Relation& relation, const BlockState& state);

}  // namespace antiphon::analysis
