#include "check/periodic_order.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <numeric>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::Wait;

// One iteration is this long; S are integers.
constexpr std::int64_t scale = std::int64_t{1} << 44;
// A constraint that allows more is kept as if it allowed this; one that asks for more is given up.
constexpr std::int64_t most_length = std::int64_t{1} << 54;
constexpr std::int64_t most_sum = std::int64_t{1} << 60;
constexpr std::int64_t most_phases = 1 << 14;
constexpr std::size_t most_arcs = 1 << 20;
constexpr std::size_t most_looks = std::size_t{1} << 25;

Int128 floor_divided(Int128 a, Int128 b) {
  const Int128 q = a / b;
  return a % b < 0 ? q - 1 : q;
}

// Firings after which a sequence comes round.
std::int64_t round_of(const PhaseSequence& s) {
  return s.is_constant() ? 1 : s.phases();
}

// REQUIRES: the firings take the sequence round, once or several times.
Int128 moved_in(const PhaseSequence& s, std::int64_t firings) {
  return s.is_constant() ? Int128{s.max()} * firings : Int128{s.sum()} * (firings / s.phases());
}

class PeriodicOrder {
 public:
  PeriodicOrder(const Relation& relation, const BlockState& state)
      : relation_(relation), state_(state), phases_(state.timelines.size(), 1) {}

  bool exists() { return number_phases() && add_waits() && solve(); }

 private:
  // S of `to` is at least S of `from` and `length`.
  struct Arc {
    std::uint32_t from;
    std::uint32_t to;
    std::int64_t length;
  };

  std::size_t local(relation::TimelineId t) const {
    return static_cast<std::size_t>(
        std::lower_bound(state_.timelines.begin(), state_.timelines.end(), t) -
        state_.timelines.begin());
  }

  // Of a timeline's phases only those count that waits of this block tell apart. The first of them
  // here is that of the timeline's next firing.
  bool number_phases() {
    for (const auto& w : state_.waits) {
      if (!consider(local(w.waiter), relation_.need(w))) return false;
      if (!consider(local(w.source), relation_.gain(w))) return false;
    }
    first_.push_back(0);
    for (std::size_t t = 0; t < phases_.size(); ++t) {
      if (first_.back() + phases_[t] > most_phases) return false;
      first_.push_back(first_.back() + phases_[t]);
      cycles_.push_back(state_.firings[t] / phases_[t]);
      if (phases_[t] == 1) continue;
      for (std::int64_t f = 0; f + 1 < phases_[t]; ++f) {
        arcs_.push_back({node(t, f), node(t, f + 1), 1});
      }
      arcs_.push_back({node(t, phases_[t] - 1), node(t, 0),
                       1 - static_cast<std::int64_t>(floor_divided(scale, cycles_[t]))});
    }
    return true;
  }

  bool consider(std::size_t timeline, const PhaseSequence& sequence) {
    if (state_.fired[timeline] < sequence.initial_phases()) return false;
    phases_[timeline] = std::max(phases_[timeline], round_of(sequence));
    return true;
  }

  std::uint32_t node(std::size_t timeline, std::int64_t phase) const {
    return static_cast<std::uint32_t>(first_[timeline] + phase);
  }

  bool add_waits() {
    for (const auto& w : state_.waits) {
      if (!add_wait(w)) return false;
    }
    return true;
  }

  // With messages counted from the state on, firing (f, j) of the waiter needs N(f+1) + j n of them
  // in all, and firing (e, i) of the source is needed for it when those before it have not sent as
  // many:
  //   G(e) + i g < N(f+1) + j n - offset.
  // i g - j n takes the multiples of gcd(g, n); the largest that fulfils this, d, is the worst
  // case, and
  //   S(waiter, f) - S(source, e) > i / cycles(source) - j / cycles(waiter) = d / (messages of an
  //   iteration).
  bool add_wait(const Wait& w) {
    const auto waiter = local(w.waiter);
    const auto source = local(w.source);
    if (waiter == source) return false;  // decided without any order, by first_held_up
    const auto& need = relation_.need(w);
    const auto& gain = relation_.gain(w);
    const Int128 g = moved_in(gain, phases_[source]);
    const Int128 n = moved_in(need, phases_[waiter]);
    if (g == 0 && n == 0) return true;  // the initial phases are over: nothing moves any more
    if (g == 0 || n == 0 || g > PhaseSequence::limit || n > PhaseSequence::limit) return false;
    const Int128 moved = cycles_[source] * g;
    const auto step = std::gcd(static_cast<std::int64_t>(g), static_cast<std::int64_t>(n));
    const auto sent = gain.total(state_.fired[source]);
    const auto taken = need.total(state_.fired[waiter]);
    const Int128 offset = Int128{w.offset} + sent - taken;
    for (std::int64_t f = 0; f < phases_[waiter]; ++f) {
      if (need.at(state_.fired[waiter] + f) == 0) continue;  // as its phase before
      const Int128 wanted = Int128{need.total(state_.fired[waiter] + f + 1)} - taken - offset;
      for (std::int64_t e = 0; e < phases_[source]; ++e) {
        if (gain.at(state_.fired[source] + e) == 0) continue;
        const Int128 open = wanted - (Int128{gain.total(state_.fired[source] + e)} - sent);
        const Int128 worst = Int128{step} * floor_divided(open - 1, step);
        const auto length = std::max<Int128>(floor_divided(worst * scale, moved), -most_length) + 1;
        if (length > most_length || arcs_.size() == most_arcs) return false;
        arcs_.push_back({node(source, e), node(waiter, f), static_cast<std::int64_t>(length)});
      }
    }
    return true;
  }

  // Longest paths from everywhere at once (Bellman and Ford): none has more arcs than there are
  // nodes, unless there is a cycle of positive length.
  bool solve() {
    std::vector<std::int64_t> s(static_cast<std::size_t>(first_.back()), 0);
    std::size_t looks = 0;
    for (std::size_t round = 0; round <= s.size() && looks <= most_looks; ++round) {
      bool changed = false;
      for (const auto& arc : arcs_) {
        const auto least = s[arc.from] + arc.length;
        if (s[arc.to] >= least) continue;
        if (least > most_sum) return false;
        s[arc.to] = least;
        changed = true;
      }
      if (!changed) return true;
      looks += arcs_.size();
    }
    return false;
  }

  const Relation& relation_;
  const BlockState& state_;
  std::vector<std::int64_t> phases_;  // per timeline
  std::vector<std::int64_t> first_;   // node of its first phase
  std::vector<Int128> cycles_;
  std::vector<Arc> arcs_;
};

}  // namespace

bool has_periodic_order(const Relation& relation, const BlockState& state) {
  return PeriodicOrder(relation, state).exists();
}

}  // namespace antiphon::analysis
