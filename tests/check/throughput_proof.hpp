// Checks a throughput from both sides without any of the code that found it: there is a schedule
// that keeps the period, and there is a cycle that needs it.
#pragma once

#include "base/int128.hpp"
#include "check/throughput.hpp"
#include "relation/relation.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace antiphon {

class ThroughputProof {
 public:
  ThroughputProof(const relation::Relation& relation, const std::vector<std::int64_t>& repetitions,
                  const analysis::TimedOptions& options)
      : relation_(relation), repetitions_(repetitions), options_(options) {}

  // Empty when the period is proved to be the least.
  std::string fault(const analysis::Throughput& throughput) {
    for (const auto& schedule : throughput.schedules) {
      for (const auto& row : schedule.rows) rows_[row.timeline] = {&schedule, &row};
    }
    for (const auto& schedule : throughput.schedules) {
      const auto& row = schedule.rows.front();
      const auto firings = Int128{repetitions_[row.timeline]} * phases(row.timeline);
      const auto share = firings / static_cast<std::int64_t>(row.starts.size());
      if (Int128{schedule.period.numerator()} * share * throughput.period.denominator() >
          Int128{throughput.period.numerator()} * schedule.period.denominator()) {
        return "a schedule is slower than the period";
      }
      for (const auto& other : schedule.rows) {
        if (Int128{static_cast<std::int64_t>(other.starts.size())} * share !=
            Int128{repetitions_[other.timeline]} * phases(other.timeline)) {
          return "a schedule is not of whole iterations";
        }
        if (auto why = order_fault(other.timeline); !why.empty()) return why;
      }
    }
    for (std::uint32_t i = 0; i < relation_.waits.size(); ++i) {
      if (auto why = wait_fault(i); !why.empty()) return why;
    }
    if (auto why = rest_fault(); !why.empty()) return why;
    return throughput.period == Rational(0) ? "" : cycle_fault(throughput);
  }

 private:
  struct Place {
    const analysis::PeriodicSchedule* schedule;
    const analysis::PeriodicSchedule::Row* row;
  };

  std::int64_t phases(relation::TimelineId t) const { return relation_.timelines[t].phases; }
  std::int64_t concurrency(relation::TimelineId t) const {
    return options_.serial ? 1 : relation_.timelines[t].concurrency;
  }
  bool counts(const relation::Wait& w) const {
    return w.kind != relation::WaitKind::space || options_.space;
  }
  std::int64_t cost(relation::TimelineId t, std::int64_t n) const {
    const auto& cost = relation_.timelines[t].cost;
    return cost ? relation_.sequences[*cost].at(n) : 0;
  }

  // Times `scale`, in the schedule that is repeated for ever in both directions.
  Int128 start(relation::TimelineId t, std::int64_t n) const {
    const auto& [schedule, row] = rows_.at(t);
    const auto firings = static_cast<std::int64_t>(row->starts.size());
    auto iteration = (n - row->first) / firings;
    auto index = (n - row->first) % firings;
    if (index < 0) {
      index += firings;
      --iteration;
    }
    return row->starts[static_cast<std::size_t>(index)] +
           Int128{iteration} * schedule->period.numerator();
  }
  Int128 end(relation::TimelineId t, std::int64_t n) const {
    return start(t, n) + Int128{cost(t, n)} * rows_.at(t).schedule->scale;
  }
  // When others know that firing n has ended.
  Int128 published(relation::TimelineId t, std::int64_t n) const {
    auto time = end(t, n);
    for (std::int64_t i = 1; i < concurrency(t); ++i) time = std::max(time, end(t, n - i));
    return time;
  }
  // Of a timeline, far beyond initial messages and phases.
  std::int64_t far(relation::TimelineId t) const {
    const auto firings = static_cast<std::int64_t>(rows_.at(t).row->starts.size());
    return rows_.at(t).row->first + firings * 2 + concurrency(t);
  }

  std::string order_fault(relation::TimelineId t) const {
    const auto k = concurrency(t);
    const auto from = far(t);
    for (auto n = from; n < from + static_cast<std::int64_t>(rows_.at(t).row->starts.size()); ++n) {
      if (start(t, n) < start(t, n - 1)) return "firings start out of order";
      if (k > 0 && start(t, n) < published(t, n - k)) return "an actor overlaps itself";
    }
    return {};
  }

  std::string wait_fault(std::uint32_t index) const {
    const auto& w = relation_.waits[index];
    if (!counts(w) || w.kind == relation::WaitKind::self || rows_.count(w.waiter) == 0 ||
        rows_.count(w.source) == 0 || rows_.at(w.waiter).schedule != rows_.at(w.source).schedule) {
      return {};
    }
    const auto& need = relation_.need(w);
    const auto& gain = relation_.gain(w);
    if (need.sum() == 0) return {};
    const auto firings = static_cast<std::int64_t>(rows_.at(w.waiter).row->starts.size());
    auto from = far(w.waiter);
    while (need.total(from) - w.offset <= gain.total(far(w.source))) from += firings;
    for (auto n = from; n < from + firings; ++n) {
      const auto taken = need.total(n) - w.offset;
      const auto wanted = need.total(n + 1) - w.offset;
      if (taken == wanted) continue;
      for (auto j = *gain.least_reaching(taken + 1) - 1; j < *gain.least_reaching(wanted); ++j) {
        if (gain.at(j) == 0) continue;
        if (start(w.waiter, n) < published(w.source, j)) {
          return "firing " + std::to_string(n) + " of timeline " + std::to_string(w.waiter) +
                 " starts before its messages from timeline " + std::to_string(w.source);
        }
      }
    }
    return {};
  }

  // What no schedule covers waits for nothing around: leave it out, one after another.
  std::string rest_fault() const {
    const auto n = relation_.timelines.size();
    std::vector<std::size_t> group(n);
    for (std::size_t t = 0; t < n; ++t) group[t] = t;
    for (const auto& [t, place] : rows_) group[t] = place.schedule->rows.front().timeline;
    std::vector<std::vector<std::size_t>> leads_to(n);
    std::vector<std::size_t> waits(n, 0);
    for (const auto& w : relation_.waits) {
      if (!counts(w) || w.kind == relation::WaitKind::self) continue;
      // After the initial phases it moves nothing, so it holds nobody up.
      if (relation_.need(w).sum() == 0) continue;
      if (group[w.source] == group[w.waiter] && rows_.count(w.waiter) != 0) continue;
      leads_to[group[w.source]].push_back(group[w.waiter]);
      ++waits[group[w.waiter]];
    }
    std::vector<std::size_t> free;
    for (std::size_t t = 0; t < n; ++t) {
      if (waits[t] == 0) free.push_back(t);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (const auto to : leads_to[free[i]]) {
        if (--waits[to] == 0) free.push_back(to);
      }
    }
    if (free.size() < n) return "something waits around, and no schedule covers it";
    for (relation::TimelineId t = 0; t < n; ++t) {
      if (rows_.count(t) == 0 && concurrency(t) != 0) return "an actor has no schedule";
    }
    return {};
  }

  std::string cycle_fault(const analysis::Throughput& throughput) const {
    const auto& cycle = throughput.cycle;
    if (cycle.firings.empty()) return "there is no critical cycle";
    Int128 time = 0;
    for (std::size_t i = 0; i < cycle.firings.size(); ++i) {
      const auto& at = cycle.firings[i];
      auto next = cycle.firings[(i + 1) % cycle.firings.size()];
      if (i + 1 == cycle.firings.size()) {
        const auto firings =
            repetitions_[next.timeline] * phases(next.timeline) / cycle.share * cycle.iterations;
        next.firing -= firings;
      }
      time += cost(at.timeline, at.firing);
      if (at.wait == relation::none) {
        if (!options_.serial && concurrency(at.timeline) != 1) return "a hop has no wait";
        if (next.timeline != at.timeline || next.firing >= at.firing) return "a hop is none";
        continue;
      }
      const auto& w = relation_.waits[at.wait];
      if (!counts(w) || w.waiter != at.timeline || w.source != next.timeline) {
        return "a hop is along another wait";
      }
      const auto& gain = relation_.gain(w);
      const bool any = concurrency(w.source) != 0;
      if (!any && gain.at(next.firing) == 0) return "a hop waits for a firing that sends nothing";
      if (relation_.need(w).total(at.firing + 1) - w.offset <= gain.total(next.firing)) {
        return "a hop waits for a firing that it does not need";
      }
    }
    if (time != cycle.time) return "the cycle's costs are not its time";
    const auto& period = throughput.period;
    if (time * cycle.share * period.denominator() !=
        Int128{period.numerator()} * cycle.iterations) {
      return "the cycle has another ratio";
    }
    return {};
  }

  const relation::Relation& relation_;
  const std::vector<std::int64_t>& repetitions_;
  const analysis::TimedOptions& options_;
  std::map<relation::TimelineId, Place> rows_;
};

}  // namespace antiphon
