// One iteration of a component, walked through once: each message carries the time at which it is
// there.
#pragma once

#include "check/timed_component.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// A time that one iteration hands to a later one: when some messages of a link were put in (those
// of one firing share a boundary), when a timeline's last firing ended, or when it started.
struct Boundary {
  std::int64_t iterations = 1;  // later; more than 1 for links that lag
};

// Time: std::int64_t where all of an iteration's times fit, else Int128.
template <typename Time>
class TokenWalk {
 public:
  // The component must outlive it.
  explicit TokenWalk(const TimedComponent& component);

  // What the iteration takes over; each walk takes their times and gives those that it leaves.
  const std::vector<Boundary>& boundaries() const noexcept { return boundaries_; }

  // What decided a time: a boundary, or (while recording) a firing after all boundaries.
  using Node = std::uint32_t;
  struct Left {
    Time time = 0;
    Node decided_by = 0;
  };
  // Fires everything once through an iteration, with costs `scale` times what they are.
  // `before`: per boundary, when it was reached. False: it got stuck, so the component does not
  // live.
  bool walk(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);

  // The same, keeping of each firing when it started and what decided that. Firing i of timeline t
  // is node boundaries().size() + first_firing(t) + i. REQUIRES: the component's firings are no
  // more than most_recorded.
  static constexpr std::int64_t most_recorded = 1 << 26;
  bool record(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);
  std::uint32_t first_firing(std::uint32_t timeline) const { return first_firing_[timeline]; }
  struct Record {
    Time start = 0;
    Node decided_by = 0;
    std::uint32_t link = 0;                                    // or one of these
    static constexpr std::uint32_t by_end = UINT32_MAX;        // of the firing before it
    static constexpr std::uint32_t by_start = UINT32_MAX - 1;  // of the firing before it
  };
  const std::vector<Record>& records() const noexcept { return records_; }

 private:
  // Walks along a sequence's periodic runs, for ever. The value is kept where the walk looks for
  // it.
  struct Cursor {
    std::int64_t value = 0;
    std::int64_t left = 0;  // firings until it changes; for ever, where it does not
    const PhaseRun* at = nullptr;
    const PhaseRun* begin = nullptr;
    const PhaseRun* end = nullptr;

    void seek(const PhaseSequence& sequence, std::int64_t firing);
    void next() noexcept {
      if (--left == 0) turn();
    }
    void turn() noexcept;
  };
  struct Run {
    Time time;
    Node by;
    std::uint32_t count;
  };
  // What is in a link: a ring of runs, as large as it has to be.
  struct Queue {
    std::int64_t held = 0;
    Cursor need;
    Run* ring = nullptr;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::uint32_t mask = 0;
    std::uint32_t waiter = 0;
    Cursor gain;
    std::vector<Run> runs;

    void clear();
    void push(Time time, std::int64_t count, Node by);
    void grow();
  };
  struct Timeline {
    std::uint32_t first_in = 0;  // into queues_, which are in the order of their waiters
    std::uint32_t last_in = 0;
    std::uint32_t first_out = 0;  // into out_
    std::uint32_t last_out = 0;
    std::int64_t left = 0;
    std::uint32_t missing = 0;  // links that hold too little for its next firing
    bool is_ready = false;      // on the stack of those that may be able to fire
    Overlap overlap = Overlap::serial;
    bool has_cost = false;
    Time end = 0;
    Node end_by = 0;
    Node start_by = 0;
    Time start = 0;
    Cursor cost;
    std::uint32_t end_boundary = UINT32_MAX;
    std::uint32_t start_boundary = UINT32_MAX;
  };

  template <bool recording>
  bool run(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);
  template <bool recording>
  void fire(std::uint32_t at, std::int64_t scale);
  void reset(const std::vector<Time>& before);

  const TimedComponent& component_;
  std::vector<Boundary> boundaries_;
  std::vector<std::int64_t> boundary_count_;  // messages of each, of links' boundaries
  std::vector<Timeline> timelines_;
  std::vector<Queue> queues_;                  // by waiter
  std::vector<std::uint32_t> link_of_;         // per queue
  std::vector<std::uint32_t> first_boundary_;  // per queue
  std::vector<std::uint32_t> out_;             // queues, by source
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> first_firing_;
  std::vector<Record> records_;
};

}  // namespace antiphon::analysis
