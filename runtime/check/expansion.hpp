// The period by writing out every firing of an iteration: slower than throughput.hpp, and found in
// another way, so that each can be held against the other.
#pragma once

#include "base/rational.hpp"
#include "check/timed_component.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// Least time of one iteration in the long run, in the costs' unit; 0: nothing limits it. Nothing
// where an iteration has more than `most_firings`, or its times do not fit.
//
// Each firing becomes a node of a graph (Sriram and Bhattacharyya, 2000), each wait arcs between
// firings, of so many iterations' delay; the period is the graph's maximum cycle ratio. Begins with
// ratio 0 and goes from one cycle that beats the ratio to the ratio of that cycle, until no cycle
// does (Lawler, 1976; the search for cycles is Bellman and Ford's).
//
// REQUIRES: the relation lives.
std::optional<Rational> expanded_period(const relation::Relation& relation,
                                        const std::vector<std::int64_t>& repetitions,
                                        const TimedOptions& options,
                                        std::int64_t most_firings = 200'000);

}  // namespace antiphon::analysis
