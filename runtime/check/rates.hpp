// The second pass: how often does each actor fire in one iteration.
#pragma once

#include "graph/model.hpp"
#include "relation/relation.hpp"

#include <antiphon/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// What a sequence of the timeline's moves over one cycle of the timeline's phases. A sequence of
// one phase goes through it as often as the timeline has phases. Saturates above
// PhaseSequence::limit.
std::int64_t cycle_sum(const relation::Timeline& timeline, const PhaseSequence& sequence) noexcept;

// The repetition vector: per timeline, the cycles of its phases in one iteration: the smallest
// positive integers that balance the data waits of its connected component. Exact (Lee and
// Messerschmitt, 1987; for phases Bilsen, Engels, Lauwereins and Peperstraete, 1996: the balance
// equations hold for whole cycles).
//
// Where there are none, adds the reason and returns nothing useful: the channels that contradict
// each other, as closed walks that share no channel; or numbers beyond 2^62.
std::vector<std::int64_t> solve_rates(const GraphModel& model, const relation::Relation& relation,
                                      std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
