// How fast a live graph can be: exactly, with what limits it and a proof.
#pragma once

#include "base/int128.hpp"
#include "base/rational.hpp"
#include "check/timed_component.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// One firing on a critical cycle: it cannot start before the next one on the cycle has ended.
struct CriticalFiring {
  relation::TimelineId timeline = 0;
  // Counted as an actor counts its firings, once the first iterations are over.
  std::int64_t firing = 0;
  std::uint32_t wait = relation::none;  // of the relation; none: the actor does not overlap itself
};

// The last firing on it waits for the first one's, `iterations` earlier.
struct CriticalCycle {
  std::vector<CriticalFiring> firings;
  std::int64_t iterations = 0;  // of the component's own
  std::int64_t share = 1;       // so many of them are one of the graph's
  std::int64_t time = 0;        // the costs of all firings on it
};

// A schedule that keeps the period: firing n starts at starts[n - first] / scale, and every firing
// one iteration later a period after that.
struct PeriodicSchedule {
  struct Row {
    relation::TimelineId timeline = 0;
    std::int64_t first = 0;
    std::vector<Int128> starts;  // of one of the component's own iterations
  };
  std::vector<Row> rows;
  std::int64_t scale = 1;
  Rational period;  // of the component's own iteration
};

struct Throughput {
  enum class State {
    exact,
    undecided,  // the budget was spent; period is what was proved to be the least
    too_large,  // the times do not fit 62 bits
  };
  State state = State::exact;
  // Least time of one iteration in the long run, in the costs' unit; 0: nothing limits it.
  Rational period;
  CriticalCycle cycle;                      // of the slowest component; empty when the period is 0
  std::vector<PeriodicSchedule> schedules;  // one for each component
};

struct ThroughputOptions {
  TimedOptions timed;
  std::int64_t budget = 2'000'000'000;  // firings walked through
  bool cycle = true;                    // find it
  bool schedules = false;               // keep them
  // Only what decides, in the long run, when this one fires; else all.
  std::optional<relation::TimelineId> of = std::nullopt;
};

// The maximum cycle ratio over all components.
//
// A walk through one iteration maps the times at which its messages are there to those of the next
// one's: a max-plus linear map whose growth per walk is the period. Its matrix is never built; the
// walk also says which message decided each, and that is all that policy iteration needs (Howard,
// 1960; for max-plus spectra Cochet-Terrasson, Cohen, Gaubert, McGettrick and Quadrat, 1998):
// follow the deciding messages to the slowest cycle among them, take its ratio and the times that
// go with it, walk again, until no message comes later than those times allow. Then the ratio is
// proved from both sides: there is a cycle that has it, and there are times that keep it (Baccelli,
// Cohen, Olsder and Quadrat, 1992, theorem 3.23 and lemma 3.68).
Throughput throughput(const relation::Relation& relation,
                      const std::vector<std::int64_t>& repetitions,
                      const ThroughputOptions& options = {});

}  // namespace antiphon::analysis
