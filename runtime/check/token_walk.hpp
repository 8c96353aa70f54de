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
  // Walks along a sequence's periodic phases, for ever.
  class Cursor {
   public:
    void seek(const PhaseSequence& sequence, std::int64_t firing);
    std::int64_t value() const noexcept { return value_; }
    void next() noexcept {
      if (count_ == 1) return;
      if (count_ == 0) return next_run();
      if (++at_ == count_) at_ = 0;
      value_ = values_[at_];
    }

   private:
    void next_run() noexcept;

    std::int64_t value_ = 0;
    std::size_t at_ = 0;
    std::size_t count_ = 0;  // phases; 0: so many that they are walked along as runs
    std::vector<std::int64_t> values_;
    const std::vector<PhaseRun>* runs_ = nullptr;
    std::int64_t left_ = 0;
  };
  // When the messages of a firing were there, and what decided it.
  struct Entry {
    Time time = 0;
    Node by = 0;
  };
  // What a timeline waits for along a link. What was put in are entries: first the boundaries that
  // the iteration took over, then a firing of the source each.
  struct In {
    std::uint32_t source = 0;
    std::uint32_t first_boundary = 0;
    std::uint32_t out = 0;  // into outs_
    // A later entry may have come earlier, so all of a firing are looked at and not the last alone.
    bool all = false;
    std::int64_t boundaries = 0;
    std::int64_t wanted = 0;  // entries that must be there for the next firing
    std::int64_t before = 0;  // and for the one before it
    std::int64_t put = 0;     // messages in the entries that are wanted
    std::int64_t taken = 0;   // messages that the next firing will have taken
    Cursor need;
    Cursor gain;  // of the entry behind those that are wanted
  };
  // The same from the other end: after so many firings of the source the waiter may go on.
  struct Out {
    std::int64_t firings = 0;
    std::uint32_t waiter = 0;
  };
  struct Timeline {
    std::uint32_t first_in = 0;
    std::uint32_t last_in = 0;
    std::uint32_t first_out = 0;
    std::uint32_t last_out = 0;
    std::int64_t fired = 0;
    std::int64_t firings = 0;
    std::uint32_t missing = 0;  // links that hold too little for its next firing
    bool is_ready = false;      // on the stack of those that may be able to fire
    bool has_cost = false;
    Overlap overlap = Overlap::serial;
    Entry end;
    Entry start;
    // The last firings, as far back as somebody may ask for them.
    Entry* ring = nullptr;
    std::int64_t mask = -1;
    std::int64_t oldest = 0;  // firings before it will not be asked for
    Cursor cost;
    std::vector<Entry> entries;
    std::uint32_t end_boundary = UINT32_MAX;
    std::uint32_t start_boundary = UINT32_MAX;
  };

  template <bool recording>
  bool run(const std::vector<Time>& before, std::int64_t scale, std::vector<Left>& after);
  template <bool recording>
  void fire(std::uint32_t at, std::int64_t scale);
  Entry entry(const In& in, std::int64_t number) const;
  void want(In& in);
  void make_room(Timeline& timeline);
  void reset(const std::vector<Time>& before);
  Left left_at(const In& in, std::uint32_t boundary) const;

  const TimedComponent& component_;
  std::vector<Boundary> boundaries_;
  std::vector<std::int64_t> boundary_count_;  // messages of each, of links' boundaries
  std::vector<std::int64_t> boundary_back_;   // firings before the iteration's begin
  std::vector<Timeline> timelines_;
  std::vector<In> ins_;                 // by waiter
  std::vector<Out> outs_;               // by source
  std::vector<std::uint32_t> link_of_;  // per in
  std::vector<std::uint32_t> in_of_;    // per out
  std::vector<Time> before_;
  std::vector<std::uint32_t> ready_;
  std::vector<std::uint32_t> first_firing_;
  std::vector<Record> records_;
};

}  // namespace antiphon::analysis
