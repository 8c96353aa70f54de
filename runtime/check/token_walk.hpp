// One iteration of a component, walked through once: each message carries the time at which it is
// there.
#pragma once

#include "check/timed_component.hpp"

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace antiphon::analysis {

// A time that one iteration hands to a later one: when some messages of a link were put in (those
// of one firing share a boundary), when a timeline's last firing ended, or when it started.
struct Boundary {
  std::int64_t iterations = 1;  // later; more than 1 for messages that stay longer
  std::uint32_t timeline = 0;
  std::int32_t back = 1;  // which of its firings: so many before the end of the iteration
  bool start = false;     // when it started, not when it ended
};

// Time: std::int64_t where all of an iteration's times fit, else Int128.
template <typename Time>
class TokenWalk {
 public:
  // The component must outlive it. REQUIRES: fits(component).
  explicit TokenWalk(const TimedComponent& component);
  // Whether its firings can be counted and its boundaries kept.
  static bool fits(const TimedComponent& component);

  // What the iteration takes over; each walk takes their times and gives those that it leaves.
  const std::vector<Boundary>& boundaries() const noexcept { return boundaries_; }

  // What decided a time: a boundary of before the iteration.
  using Node = std::uint32_t;
  struct Left {
    Time time = 0;
    Node decided_by = 0;
  };
  // Fires everything once through an iteration, with costs `scale` times what they are.
  // `before`: per boundary, when it was reached. False: it got stuck, so the component does not
  // live.
  bool walk(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);

  // The same, keeping of each firing what decided its start, and when that was if `starts`.
  // REQUIRES: the component's firings are no more than most_recorded.
  static constexpr std::int64_t most_recorded = 1 << 26;
  bool record(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after,
              bool starts = false);
  // A firing of the iteration that was walked (0) or of one before it.
  struct Firing {
    std::uint32_t timeline = 0;
    std::int32_t number = 0;  // in its iteration
    std::int64_t iteration = 0;
  };
  struct Cause {
    Firing firing;
    std::uint32_t link = 0;                                    // or one of these
    static constexpr std::uint32_t by_end = UINT32_MAX;        // of the firing before it
    static constexpr std::uint32_t by_start = UINT32_MAX - 1;  // of the firing before it
  };
  // Of that firing of iteration 0, as recorded last.
  Cause cause(std::uint32_t timeline, std::int32_t number) const;
  // Who decides when a boundary is reached, as recorded last.
  Firing firing_of(Node boundary) const;
  // Of all firings by timeline, as recorded last.
  std::uint32_t first_firing(std::uint32_t timeline) const { return first_firing_[timeline]; }
  const std::vector<Time>& starts() const noexcept { return starts_; }

 private:
  // A place among a sequence's periodic phases, for ever.
  struct Cursor {
    const std::int64_t* values = nullptr;
    std::uint32_t at = 0;
    std::uint32_t count = 0;  // 0: phases are so many that they are walked along as runs

    std::int64_t value() const noexcept { return values[at]; }
    void next(bool really = true) noexcept {
      const auto following = at + static_cast<std::uint32_t>(really);
      at = following == count ? 0 : following;
    }
  };
  struct RunPlace {
    std::int64_t value = 0;
    std::span<const PhaseRun> runs;
    std::size_t at = 0;
    std::int64_t left = 0;
    void next() noexcept;
  };
  // When the messages of a firing were there, and what decided it.
  struct Entry {
    Time time = 0;
    Node by = 0;
  };
  // What a timeline waits for along a link. What was put in are entries: first the boundaries that
  // the iteration took over, then a firing of the source each. One line of a cache, since a walk
  // does little but look at these.
  struct alignas(64) In {
    std::int64_t surplus = 0;  // messages in the wanted entries that the next firing leaves
    Cursor need;
    Cursor gain;              // of the entry behind those that are wanted
    std::int32_t wanted = 0;  // firings of the source for the next firing; up to 0: boundaries
    std::int32_t before = 0;  // and for the one before it
    std::uint32_t source = 0;
    std::uint32_t out = 0;   // into outs_
    std::int32_t steps = 0;  // entries by which `wanted` grows at least
    // Later entries may have come earlier, or a cursor walks along runs.
    bool special = false;
  };
  struct InRest {
    std::int32_t boundaries = 0;
    std::uint32_t first_boundary = 0;
    std::int32_t first_left = INT32_MAX;  // of the source's firings, that a boundary keeps
    RunPlace* need = nullptr;
    RunPlace* gain = nullptr;
    // A later entry may have come earlier, so all of a firing are looked at and not the last alone.
    bool all = false;
  };
  // The same from the other end: after so many firings of the source the waiter may go on.
  struct Out {
    std::int32_t firings = 0;
    std::uint32_t waiter = 0;
  };
  // What others look at.
  struct alignas(32) Timeline {
    // The last firings, as far back as somebody may ask for them.
    Entry* ring = nullptr;
    std::int32_t mask = -1;
    std::int32_t fired = 0;
    std::int32_t firings = 0;
    std::uint32_t missing = 0;  // links that hold too little for its next firing
  };
  struct TimelineRest {
    std::uint32_t first_in = 0;
    std::uint32_t last_in = 0;
    std::uint32_t first_out = 0;
    std::uint32_t last_out = 0;
    Entry end;
    Entry start;
    Cursor cost;
    RunPlace* cost_runs = nullptr;
    bool has_cost = false;
    bool is_scaled = true;
    Overlap overlap = Overlap::serial;
    std::int32_t oldest = 0;  // firings before it will not be asked for
    std::uint32_t end_boundary = UINT32_MAX;
    std::uint32_t start_boundary = UINT32_MAX;
    std::vector<Entry> entries;
    // Where firings publish in order, and one may end before the one before it: per firing that
    // whose end it is published with, -1 for one of an earlier iteration.
    bool may_be_held_up = false;
    std::int32_t holds_up = -1;
    std::vector<std::int32_t> held_up_by;
  };

  enum class Keep : std::uint8_t { nothing, decisions, starts };
  template <Keep keep>
  bool run(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);
  template <Keep keep, bool in_known_order>
  void fire(std::uint32_t at, std::int64_t scale);
  Cursor cursor(const PhaseSequence& sequence, RunPlace*& runs);
  static void seek(Cursor& cursor, RunPlace* runs, const PhaseSequence& sequence,
                   std::int64_t firing);
  Entry entry(std::uint32_t in, std::int32_t number) const;
  Firing published_by(Firing firing) const;
  Entry latest(std::uint32_t in, Entry start, std::int32_t& number) const;
  template <bool in_known_order>
  void want(std::uint32_t in);
  void want_special(std::uint32_t in);
  void make_room(std::uint32_t timeline);
  void reset(const std::vector<Time>& before);
  void push(std::uint32_t timeline, bool really) {
    ready_[ready_count_] = timeline;
    ready_count_ += static_cast<std::size_t>(really);
  }

  const TimedComponent& component_;
  std::vector<Boundary> boundaries_;
  std::vector<std::int64_t> boundary_count_;  // messages of each, of links' boundaries
  std::vector<Timeline> timelines_;
  std::vector<TimelineRest> timeline_rests_;
  std::vector<In> ins_;  // by waiter
  std::vector<InRest> in_rests_;
  std::vector<Out> outs_;                         // by source
  std::vector<std::uint32_t> link_of_;            // per in
  std::vector<std::uint32_t> in_of_;              // per out
  std::deque<std::vector<std::int64_t>> values_;  // of cursors
  std::deque<RunPlace> run_places_;
  std::vector<Time> before_;
  // Those that can fire, each once; one place more than there are timelines.
  std::vector<std::uint32_t> ready_;
  std::size_t ready_count_ = 0;
  // Who fires after whom, once a walk has found out; times change nothing about it.
  std::vector<std::uint16_t> order_;
  std::vector<std::uint32_t> first_firing_;
  struct Record {
    std::int32_t number = 0;  // of the link's source, as In counts
    std::uint32_t link = 0;   // into ins_, or as in Cause
  };
  std::vector<Record> records_;
  std::vector<Time> starts_;
};

}  // namespace antiphon::analysis
