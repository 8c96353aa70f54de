// A strongly connected component of a relation as the throughput analyses see it: who must have
// ended what before whom, from one iteration to the next.
#pragma once

#include "check/components.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// Messages or room on the way from one timeline's firings to another's, first in, first out. The
// n-th firing of `source` puts `gain` of them in when it ends, that of `waiter` takes `need` out
// when it starts.
struct Link {
  std::uint32_t source = 0;  // into the component's timelines
  std::uint32_t waiter = 0;
  const PhaseSequence* gain = nullptr;
  const PhaseSequence* need = nullptr;
  std::uint32_t wait = relation::none;  // index into the relation's
  // What is in it between two iterations, less `lag` iterations' worth: what is taken out in an
  // iteration was put in `lag` iterations before the one that this count tells of.
  std::int64_t held = 0;
  std::int64_t lag = 0;
};

// How the firings of one timeline follow each other.
enum class Overlap : std::uint8_t {
  serial,     // a firing starts once the one before it has ended
  in_order,   // firings overlap, and start and are published in order
  unordered,  // firings overlap and start in order, but each publishes as soon as it ends (SDF3)
};

struct TimedTimeline {
  relation::TimelineId id = 0;
  Overlap overlap = Overlap::serial;
  std::uint32_t serial_wait = relation::none;  // what makes it serial; none: it is said to be
  const PhaseSequence* cost = nullptr;         // null: takes no time
  bool is_scaled = true;                       // false: costs are in a walk's own unit
  std::int64_t firings = 0;                    // in one of the component's own iterations
  std::int64_t start = 0;  // firings that have ended between two iterations; past initial phases
};

struct TimedComponent {
  std::vector<TimedTimeline> timelines;
  std::vector<Link> links;
  // So many of the component's own iterations are one of the graph's.
  std::int64_t share = 1;
  // Firings of all timelines in one iteration; saturates.
  std::int64_t firings = 0;
};

struct TimedOptions {
  bool space = true;    // capacities count
  bool serial = false;  // no actor overlaps itself, whatever it says
};

// One message that goes round an actor: each firing takes it at its start and gives it back at its
// end, so no two overlap.
bool makes_serial(const relation::Relation& relation, const relation::Wait& wait) noexcept;

// The components in which anything waits for itself, directly or around. `repetitions` as solved
// for the rates. REQUIRES: the relation lives. It must outlive the result.
std::vector<TimedComponent> timed_components(const relation::Relation& relation,
                                             const std::vector<std::int64_t>& repetitions,
                                             const TimedOptions& options);

// All that decides when a timeline fires in the long run, itself too, in ascending order.
std::vector<relation::TimelineId> deciding(const relation::Relation& relation,
                                           relation::TimelineId timeline,
                                           const TimedOptions& options);

// All of `members`, in ascending order, as one, whether they wait for each other around or not.
// REQUIRES: whoever they wait for once initial phases are over is among them.
TimedComponent timed_part(const relation::Relation& relation,
                          const std::vector<std::int64_t>& repetitions,
                          const std::vector<relation::TimelineId>& members,
                          const TimedOptions& options);

}  // namespace antiphon::analysis
