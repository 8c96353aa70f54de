// How long a message takes from one actor to another.
#pragma once

#include "base/rational.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// The first firing of each timeline that takes a message which firing `n` of `source` had a part
// in, along channels and through actors; -1: none ever does.
std::vector<std::int64_t> first_reached(const relation::Relation& relation,
                                        relation::TimelineId source, std::int64_t n);

// The first firing of each timeline that cannot start before firing `n` of `source` has ended,
// whatever it waits for; -1: none.
std::vector<std::int64_t> first_held_up(const relation::Relation& relation,
                                        relation::TimelineId source, std::int64_t n);

struct LatencyFound {
  enum class State {
    finite,
    infinite,     // messages come faster than the graph can take them
    undecided,    // the budget was spent
    too_large,    // the times do not fit 62 bits
    unconnected,  // only the source's first firings have a part in what reaches the sink
  };
  State state = State::finite;
  Rational step;        // from one firing of the source to the next
  Rational first;       // also where it is infinite in the long run
  Rational steady;      // the longest, once the graph has found its pace
  Rational least_step;  // with which it is finite
};

// From when firing n of the source may start, n * step, to when the first firing of the sink that
// it reaches has ended, where every firing starts as soon as it can. Without a step: as fast as
// what the sink waits for can go on.
//
// What firings that have nothing to do with the source's arrivals decide is forgotten in time where
// the graph is faster than they come: the steady times then are the longest paths from the arrivals
// alone (Baccelli, Cohen, Olsder and Quadrat, 1992, section 3.7), found by walking from them until
// nothing comes later. Where it is just as fast, what happened at the start is never forgotten:
// then the graph is fired from its start until an iteration repeats one before it (Cohen, Dubois,
// Quadrat and Viot, 1985).
//
// REQUIRES: first_reached(source, 0)[sink] is not -1; the relation lives.
LatencyFound latency(const relation::Relation& relation,
                     const std::vector<std::int64_t>& repetitions, relation::TimelineId source,
                     relation::TimelineId sink, std::optional<std::int64_t> step,
                     std::int64_t budget);

}  // namespace antiphon::analysis
