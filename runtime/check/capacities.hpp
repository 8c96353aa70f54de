// Capacities where the graph leaves them to the check.
#pragma once

#include "check/liveness.hpp"
#include "graph/ends.hpp"
#include "graph/model.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// Per channel, in messages; 0: unbounded. What the graph says; where it says nothing, room for the
// initial messages and for two firings of the writer and of whichever reader takes most, so that
// each can work on one while the other works on the next. SDF3's channels stay unbounded.
//
// With the relation that they make.
struct Sized {
  relation::Relation relation;
  std::vector<std::int64_t> capacities;
};
Sized build_sized(const GraphModel& model, const Ends& ends);

// Enlarges those that the graph leaves to the check where the relation sticks and that would help,
// and takes what is cured out of `liveness`. Changes `capacities` and the relation's space waits
// alike.
void grow_capacities(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                     std::int64_t budget, std::vector<std::int64_t>& capacities,
                     relation::Relation& relation, Liveness& liveness);

// Where every actor has a cost, those that the graph leaves to the check become the cheapest, in
// bytes, with which it is as fast as if they were unlimited; nothing changes where that is not
// found within a small budget. REQUIRES: the relation lives.
void fit_capacities(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                    std::vector<std::int64_t>& capacities, relation::Relation& relation);

// Gives those that the graph leaves to the check more room than anything needs; false: there are
// none. What still sticks then sticks by what the graph says.
bool give_room(const GraphModel& model, relation::Relation& relation);

}  // namespace antiphon::analysis
