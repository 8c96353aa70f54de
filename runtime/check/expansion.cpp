#include "check/expansion.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <deque>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;
using relation::Wait;
using relation::WaitKind;

// `to` starts no earlier than `from` ended (or started, where time is 0), so many iterations
// earlier.
struct Arc {
  std::uint32_t from;
  std::uint32_t to;
  std::int64_t time;
  std::int64_t iterations;
};

class Expansion {
 public:
  Expansion(const Relation& relation, const std::vector<std::int64_t>& repetitions,
            const TimedOptions& options)
      : relation_(relation), repetitions_(repetitions), options_(options) {}

  // False: too many firings.
  bool write_out(std::int64_t most_firings) {
    Int128 nodes = 0;
    for (TimelineId t = 0; t < relation_.timelines.size(); ++t) {
      first_.push_back(static_cast<std::uint32_t>(nodes));
      const auto count = Int128{repetitions_[t]} * relation_.timelines[t].phases;
      nodes += count;
      if (nodes > most_firings) return false;
      count_.push_back(static_cast<std::int64_t>(count));
    }
    nodes_ = static_cast<std::size_t>(nodes);
    for (TimelineId t = 0; t < relation_.timelines.size(); ++t) add_order(t);
    for (const auto& w : relation_.waits) {
      if (w.kind == WaitKind::space && !options_.space) continue;
      if (w.kind == WaitKind::self) continue;  // add_order has done it
      add_wait(w);
    }
    first_arc_.assign(nodes_ + 1, 0);
    for (const auto& arc : arcs_) ++first_arc_[arc.from + 1];
    for (std::size_t i = 0; i < nodes_; ++i) first_arc_[i + 1] += first_arc_[i];
    by_source_.resize(arcs_.size());
    auto at = first_arc_;
    for (std::uint32_t i = 0; i < arcs_.size(); ++i) by_source_[at[arcs_[i].from]++] = i;
    return true;
  }

  std::optional<Rational> period() {
    Rational ratio = 0;
    for (;;) {
      const auto cycle = beating(ratio);
      if (cycle.empty()) return ratio;
      Int128 time = 0;
      Int128 iterations = 0;
      for (const auto i : cycle) {
        time += arcs_[i].time;
        iterations += arcs_[i].iterations;
      }
      if (iterations <= 0) return std::nullopt;  // it does not live
      const auto common = gcd(time, iterations);
      time /= common;
      iterations /= common;
      if (time >= (Int128{1} << 62)) return std::nullopt;
      ratio = Rational(static_cast<std::int64_t>(time), static_cast<std::int64_t>(iterations));
    }
  }

 private:
  // As if its phases had always repeated.
  std::int64_t cost_of(TimelineId t, std::int64_t n) const {
    const auto& cost = relation_.timelines[t].cost;
    if (!cost) return 0;
    const auto& s = relation_.sequences[*cost];
    auto phase = (n - s.initial_phases()) % s.phases();
    if (phase < 0) phase += s.phases();
    return s.at(s.initial_phases() + phase);
  }

  bool publishes_in_order(TimelineId t) const { return relation_.timelines[t].concurrency != 0; }

  // From firing n of the source, its end or its start, to firing m of the waiter, in any
  // iterations.
  void add(TimelineId source, std::int64_t n, TimelineId waiter, std::int64_t m, bool from_end) {
    const auto fold = [&](TimelineId t, std::int64_t firing) {
      const auto count = count_[t];
      auto iteration = firing / count;
      auto index = firing % count;
      if (index < 0) {
        index += count;
        --iteration;
      }
      return std::pair(first_[t] + static_cast<std::uint32_t>(index), iteration);
    };
    const auto [from, from_iteration] = fold(source, n);
    const auto [to, to_iteration] = fold(waiter, m);
    const auto time = from_end ? cost_of(source, n) : 0;
    arcs_.push_back({from, to, time, to_iteration - from_iteration});
  }

  // Firings of one timeline among each other.
  void add_order(TimelineId t) {
    const auto& timeline = relation_.timelines[t];
    const auto k = options_.serial ? 1 : timeline.concurrency;
    for (std::int64_t n = 0; n < count_[t]; ++n) {
      if (k != 1) add(t, n - 1, t, n, false);
      // In order, a firing's end is that of all before it; so the arcs of a wait for one lead from
      // all of them, as far back as they could be late: no more than k run at once.
      if (k > 0) {
        for (std::int64_t before = 0; before < (k == 1 ? 1 : k); ++before) {
          add(t, n - k - before, t, n, true);
        }
      }
    }
  }

  // Far from the beginning, where initial messages and phases are long used up.
  void add_wait(const Wait& w) {
    const auto& need = relation_.need(w);
    const auto& gain = relation_.gain(w);
    if (need.sum() == 0) return;
    const auto moved = Int128{need.sum()} * (count_[w.waiter] / need.phases());
    const auto behind = Int128{w.offset} + need.initial_sum() + gain.initial_sum();
    const auto iterations = static_cast<std::int64_t>(
        behind / moved + 2 +
        std::max(relation_.timelines[w.waiter].initial_phases / count_[w.waiter],
                 relation_.timelines[w.source].initial_phases / count_[w.source]) +
        1);
    for (std::int64_t i = 0; i < count_[w.waiter]; ++i) {
      const auto n = i + iterations * count_[w.waiter];
      const auto before = need.total(n) - w.offset;
      const auto after = need.total(n + 1) - w.offset;
      if (before == after) continue;
      const auto last = *gain.least_reaching(after) - 1;
      auto first = publishes_in_order(w.source) && serial(w.source)
                       ? last
                       : *gain.least_reaching(before + 1) - 1;
      if (publishes_in_order(w.source) && !serial(w.source)) {
        first -= relation_.timelines[w.source].concurrency;
      }
      for (auto j = first; j <= last; ++j) {
        if (!publishes_in_order(w.source) && gain.at(j) == 0) continue;
        add(w.source, j, w.waiter, n, true);
      }
    }
  }

  bool serial(TimelineId t) const {
    return options_.serial || relation_.timelines[t].concurrency == 1;
  }

  // A cycle whose ratio is greater, as arcs; empty: there is none.
  std::vector<std::uint32_t> beating(const Rational& ratio) const {
    std::vector<Int128> latest(nodes_, 0);
    std::vector<std::uint32_t> came_by(nodes_, UINT32_MAX);
    std::size_t changes = 0;
    std::vector<std::uint8_t> waiting(nodes_, 1);
    std::deque<std::uint32_t> queue;
    for (std::uint32_t i = 0; i < nodes_; ++i) queue.push_back(i);
    while (!queue.empty()) {
      const auto at = queue.front();
      queue.pop_front();
      waiting[at] = 0;
      for (auto a = first_arc_[at]; a < first_arc_[at + 1]; ++a) {
        const auto index = by_source_[a];
        const auto& arc = arcs_[index];
        const auto later = latest[at] + Int128{arc.time} * ratio.denominator() -
                           Int128{arc.iterations} * ratio.numerator();
        if (later <= latest[arc.to]) continue;
        latest[arc.to] = later;
        came_by[arc.to] = index;
        // Looking for a cycle takes as long as so many changes.
        if (++changes == nodes_) {
          changes = 0;
          auto cycle = cycle_among(came_by);
          if (!cycle.empty()) return cycle;
        }
        if (waiting[arc.to] == 0) {
          waiting[arc.to] = 1;
          queue.push_back(arc.to);
        }
      }
    }
    return {};
  }

  std::vector<std::uint32_t> cycle_among(const std::vector<std::uint32_t>& came_by) const {
    std::vector<std::uint32_t> seen(nodes_, 0);
    for (std::uint32_t begin = 0; begin < nodes_; ++begin) {
      auto at = begin;
      while (came_by[at] != UINT32_MAX && seen[at] == 0) {
        seen[at] = begin + 1;
        at = arcs_[came_by[at]].from;
      }
      if (came_by[at] == UINT32_MAX || seen[at] != begin + 1) continue;
      std::vector<std::uint32_t> cycle;
      const auto end = at;
      do {
        cycle.push_back(came_by[at]);
        at = arcs_[came_by[at]].from;
      } while (at != end);
      return cycle;
    }
    return {};
  }

  const Relation& relation_;
  const std::vector<std::int64_t>& repetitions_;
  const TimedOptions& options_;
  std::size_t nodes_ = 0;
  std::vector<std::uint32_t> first_;  // node, per timeline
  std::vector<std::int64_t> count_;   // nodes, per timeline
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_arc_;  // per node, into by_source_
  std::vector<std::uint32_t> by_source_;
};

}  // namespace

std::optional<Rational> expanded_period(const Relation& relation,
                                        const std::vector<std::int64_t>& repetitions,
                                        const TimedOptions& options, std::int64_t most_firings) {
  Expansion expansion(relation, repetitions, options);
  if (!expansion.write_out(most_firings)) return std::nullopt;
  return expansion.period();
}

}  // namespace antiphon::analysis
