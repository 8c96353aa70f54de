// One block's firings, made one after another, without time.
#pragma once

#include "check/blocks.hpp"
#include "check/meter.hpp"
#include "check/periodic_order.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// One wait of a stuck block that is not fulfilled.
struct Hop {
  relation::TimelineId waiter = 0;
  std::int64_t fired = 0;  // firings of the waiter that have ended
  std::uint32_t wait = 0;  // index into the relation's
  std::int64_t source_fired = 0;
  std::optional<std::int64_t> timepoint;  // firings of the source that would do; nothing: none ever
};

// Fires a block's timelines as far as their waits allow until each has been through its initial
// phases and one of the block's own iterations.
//
// A firing never disables another: a timeline only grows, and each wait asks for no more than a
// least value of one (persistence; Karp and Miller, 1966; for dataflow Lee and Messerschmitt,
// 1987). So any order of firings gets equally far, each timeline may fire as often at once as its
// waits allow, and being stuck does not depend on the order chosen.
//
// Having completed proves life for ever. Let firing m of the completed sequence come after the
// initial phases, and shift it by one iteration. Its waits are fulfilled again, since both sides of
// each have grown by the same number of messages; so from where the sequence ended it can be
// continued by another iteration, and so on. (The iteration balances every wait: Bilsen et al.,
// 1996.)
// Where that takes long, a periodic order from some state on proves the same (periodic_order.hpp).
class BlockRun {
 public:
  enum class State { lives, stuck, undecided };

  // Both must outlive it. `repetitions` balance all waits of the block.
  BlockRun(const relation::Relation& relation, const Block& block,
           const std::vector<std::int64_t>& repetitions);

  // Goes on until it is decided or the budget, in steps, is spent. One step fires one timeline any
  // number of times.
  State run(std::int64_t& budget);
  // From the start, with the offsets as they are now.
  void reset();

  // While it is stuck: waits that hold each other up, each for the timeline of the next hop and the
  // last for that of the first; or a path that ends in a wait that nothing can fulfil. Short, not
  // always shortest.
  std::vector<Hop> stalled_path() const;
  // All waits that hold something up.
  std::vector<std::uint32_t> blocked_waits() const;

  // How much more offset the wait needs for the waiter's next firing; 0 or less: none.
  std::int64_t lacking(std::uint32_t wait) const;
  // Relaxes (or, after a reset, tightens) a wait of this block; others are ignored.
  void add_offset(std::uint32_t wait, std::int64_t more);

 private:
  struct LocalWait {
    std::int64_t offset = 0;
    std::uint32_t index = 0;  // in the relation, which has all the rest
    std::uint32_t waiter = 0;
    std::uint32_t source = 0;
    Meter need;  // up to the waiter's and the source's firings when it was last looked at
    Meter gain;
  };

  relation::Wait as_it_is(const LocalWait& wait) const;
  State walk(std::int64_t& steps);
  BlockState snapshot() const;
  std::optional<std::uint32_t> local(std::uint32_t wait) const;
  void raise(std::uint32_t wait, std::uint32_t waiter);
  void refresh(std::uint32_t wait);
  std::int64_t reachable(std::uint32_t timeline);
  void push(std::uint32_t timeline);
  bool raise_goals();
  Hop hop(std::uint32_t wait) const;
  bool holds_up(std::uint32_t wait) const { return allowed_[wait] <= fired_[waits_[wait].waiter]; }
  std::vector<std::uint32_t> shortest_cycle(std::uint32_t through) const;

  const relation::Relation& relation_;
  std::vector<relation::TimelineId> timelines_;
  std::vector<LocalWait> waits_;           // by waiter
  std::vector<std::uint32_t> indices_;     // of waits in the relation, ascending
  std::vector<std::uint32_t> places_;      // of the same in waits_
  std::vector<std::uint32_t> first_wait_;  // per timeline, into waits_
  struct Upon {
    std::uint32_t wait;
    std::uint32_t waiter;
  };
  std::vector<Upon> upon_;                 // by source
  std::vector<std::uint32_t> first_upon_;  // per timeline, into upon_
  std::vector<std::int64_t> firings_;      // in one of the block's iterations
  std::vector<std::int64_t> target_;
  std::vector<std::int64_t> goal_;  // at least the target; more where others need it
  std::vector<std::int64_t> fired_;
  std::vector<std::uint32_t> held_by_;  // the wait that ended the timeline's last firings
  std::vector<std::int64_t>
      allowed_;  // per wait: firings of its waiter, while its source stands at…
  std::vector<std::int64_t> seen_;  // … this; where the source has moved on it may allow more
  // A ring of the timelines that may be able to fire, each once.
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint8_t> is_ready_;
  std::size_t ready_at_ = 0;
  std::size_t ready_count_ = 0;
};

// Whether the block is one channel between two timelines of constant rates whose capacity is known
// to be enough: with rates p and c, d initial messages and g = gcd(p, c), p + c - g + d mod g are
// (Bhattacharyya, Murthy and Lee, 1996). In one iteration the channel holds (p + c) / g different
// numbers of messages, all equal to d modulo g; that is how many such numbers there are up to this
// capacity.
bool is_live_pair(const relation::Relation& relation, const Block& block);

}  // namespace antiphon::analysis
