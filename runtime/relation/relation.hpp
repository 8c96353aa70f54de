// The timelines and inequalities of a graph: all that check, foresight, plan and engine see of it.
//
// An actor's timeline t is the number of its firings that have ended, counted from the first
// without a gap. Firing n of an actor may start once every wait of the actor holds:
//
//     offset + gain.total(t(source)) >= need.total(n + 1)
//
//   data   source = the writer, waiter = a reader:  offset = initial messages
//   space  source = a reader, waiter = the writer:  offset = capacity - initial messages
//   self   source = waiter: firing n waits for t >= n + 1 - k; offset = k, gain = need = 1
//   order  a queue's own rule, added by a plan
//
// A relation holds no names and no texts; channel and port numbers lead back to the model.
#pragma once

#include <antiphon/phase_sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace antiphon {
class Ends;
struct GraphModel;
}  // namespace antiphon

namespace antiphon::relation {

using TimelineId = std::uint32_t;
using SequenceId = std::uint32_t;
inline constexpr std::uint32_t none = UINT32_MAX;

enum class WaitKind : std::uint8_t { data, space, self, order };

struct Wait {
  WaitKind kind = WaitKind::data;
  TimelineId waiter = 0;
  TimelineId source = 0;
  SequenceId need = 0;  // per firing of the waiter
  SequenceId gain = 0;  // per firing of the source
  std::int64_t offset = 0;
  std::uint32_t channel = none;  // index into the model's channels
  std::uint32_t reader = 0;      // which of the channel's readers
  // Of the model's actors, where the wait is along a channel.
  std::uint32_t waiter_port = 0;
  std::uint32_t source_port = 0;
};

// One timeline per actor, in the model's order.
struct Timeline {
  std::int64_t phases = 1;          // per cycle
  std::int64_t initial_phases = 0;  // once, before the first cycle
  std::int64_t concurrency = 1;     // firings that may run at once; 0: any number
  std::optional<SequenceId> cost;
};

// Indices into a relation's waits, in order, for each of its timelines.
class WaitIndex {
 public:
  WaitIndex() = default;
  // `of`: which timeline of a wait it is listed under.
  WaitIndex(const std::vector<Wait>& waits, std::size_t timelines, TimelineId Wait::*of);

  std::span<const std::uint32_t> operator[](std::size_t timeline) const {
    return std::span(waits_).subspan(first_[timeline], first_[timeline + 1] - first_[timeline]);
  }

 private:
  std::vector<std::uint32_t> first_;  // per timeline, and one more
  std::vector<std::uint32_t> waits_;
};

struct Relation {
  std::vector<Timeline> timelines;
  std::vector<PhaseSequence> sequences;
  std::vector<Wait> waits;  // by channel, data before space for each reader; self waits last

  WaitIndex waits_of;    // where a timeline is the waiter
  WaitIndex waits_upon;  // where it is the source

  const PhaseSequence& need(const Wait& w) const { return sequences[w.need]; }
  const PhaseSequence& gain(const Wait& w) const { return sequences[w.gain]; }

  // The least t(source) at which firing `n` of the waiter may start, as far as this wait goes; 0 or
  // less never waits; nothing: no firing of the source is enough.
  std::optional<std::int64_t> timepoint(const Wait& w, std::int64_t n) const;
  // How many firings of the waiter this wait allows in all while the source stands at `t`; nothing:
  // any.
  std::optional<std::int64_t> allowed(const Wait& w, std::int64_t t) const;

  // Recomputes waits_of and waits_upon.
  void index();
};

// Builds the relation of a model whose structure is sound (check/structure.hpp): names resolve,
// each port has one channel, phase counts agree. Channels with no capacity get no space wait.
// `capacities`, if given, stands for the model's own: one per channel, 0 for unbounded.
Relation build(const GraphModel& model, const std::vector<std::int64_t>* capacities = nullptr);
// The same, where the ends have been found already.
Relation build(const GraphModel& model, const Ends& ends,
               const std::vector<std::int64_t>* capacities = nullptr);

}  // namespace antiphon::relation
