#include "check/timed_component.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;
using relation::Wait;
using relation::WaitKind;

bool takes_part(const Relation& relation, const Wait& w, const TimedOptions& options) {
  if (relation.need(w).sum() == 0) return false;  // moves nothing once initial phases are over
  return w.kind != WaitKind::space || options.space;
}

std::int64_t saturated(Int128 value) {
  return static_cast<std::int64_t>(
      std::min<Int128>(value, std::numeric_limits<std::int64_t>::max()));
}

class Builder {
 public:
  Builder(const Relation& relation, const std::vector<std::int64_t>& repetitions,
          const TimedOptions& options)
      : relation_(relation), repetitions_(repetitions), options_(options) {}

  TimedComponent build(const std::vector<TimelineId>& members,
                       const std::vector<std::uint32_t>& waits) {
    TimedComponent result;
    std::int64_t share = 0;
    for (const auto t : members) share = std::gcd(share, repetitions_[t]);
    result.share = share;
    Int128 firings = 0;
    bool past_initial = false;
    for (const auto t : members) {
      const auto& timeline = relation_.timelines[t];
      TimedTimeline timed;
      timed.id = t;
      if (timeline.cost) timed.cost = &relation_.sequences[*timeline.cost];
      timed.firings = saturated(Int128{repetitions_[t] / share} * timeline.phases);
      firings += timed.firings;
      if (timeline.initial_phases > 0) past_initial = true;
      if (options_.serial || timeline.concurrency == 1) {
        timed.overlap = Overlap::serial;
      } else {
        timed.overlap = timeline.concurrency == 0 ? Overlap::unordered : Overlap::in_order;
      }
      result.timelines.push_back(timed);
    }
    result.firings = saturated(firings);
    const auto local = [&](TimelineId t) {
      return static_cast<std::uint32_t>(std::lower_bound(members.begin(), members.end(), t) -
                                        members.begin());
    };
    for (const auto i : waits) {
      const auto& w = relation_.waits[i];
      auto& waiter = result.timelines[local(w.waiter)];
      if (w.kind == WaitKind::self && waiter.overlap == Overlap::serial) continue;
      if (makes_serial(relation_, w)) {
        waiter.overlap = Overlap::serial;
        waiter.serial_wait = i;
        continue;
      }
      result.links.push_back(
          {local(w.source), local(w.waiter), &relation_.gain(w), &relation_.need(w), i, 0, 0});
    }
    if (past_initial) run_initial_phases(result);
    for (auto& link : result.links) hold(result, link);
    return result;
  }

 private:
  // Fires until every timeline is past its initial phases; some go further, where others need it.
  void run_initial_phases(TimedComponent& component) const {
    auto& timelines = component.timelines;
    std::vector<std::int64_t> goal;
    goal.reserve(timelines.size());
    for (const auto& t : timelines) goal.push_back(relation_.timelines[t.id].initial_phases);
    std::vector<std::vector<std::uint32_t>> links_of(timelines.size());
    for (std::uint32_t i = 0; i < component.links.size(); ++i) {
      links_of[component.links[i].waiter].push_back(i);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::uint32_t t = 0; t < timelines.size(); ++t) {
        auto most = goal[t];
        for (const auto i : links_of[t]) {
          const auto& link = component.links[i];
          const auto& wait = relation_.waits[link.wait];
          if (link.source == t) continue;  // its own firings are made one after another
          const auto allowed = relation_.allowed(wait, timelines[link.source].start);
          if (!allowed || *allowed >= most) continue;
          most = *allowed;
          const auto point = relation_.timepoint(wait, most);
          if (point && *point > goal[link.source]) {
            goal[link.source] = *point;
            more = true;
          }
        }
        if (most <= timelines[t].start) continue;
        timelines[t].start = most;
        more = true;
      }
    }
  }

  void hold(const TimedComponent& component, Link& link) const {
    const auto& source = component.timelines[link.source];
    const auto& waiter = component.timelines[link.waiter];
    const auto held = Int128{relation_.waits[link.wait].offset} + link.gain->total(source.start) -
                      link.need->total(waiter.start);
    const auto per_iteration = Int128{link.need->sum()} * (waiter.firings / link.need->phases());
    link.lag = 0;
    if (per_iteration > 0 && held >= 2 * per_iteration) {
      link.lag = static_cast<std::int64_t>(held / per_iteration) - 1;
    }
    link.held = static_cast<std::int64_t>(held - link.lag * per_iteration);
  }

  const Relation& relation_;
  const std::vector<std::int64_t>& repetitions_;
  const TimedOptions& options_;
};

}  // namespace

bool makes_serial(const Relation& relation, const Wait& w) noexcept {
  return w.kind == WaitKind::data && w.source == w.waiter && w.offset == 1 &&
         relation.need(w).is_constant(1) && relation.gain(w).is_constant(1);
}

std::vector<TimedComponent> timed_components(const Relation& relation,
                                             const std::vector<std::int64_t>& repetitions,
                                             const TimedOptions& options) {
  const auto timelines = relation.timelines.size();
  const Adjacency graph(timelines, [&](const auto& put) {
    for (std::uint32_t i = 0; i < relation.waits.size(); ++i) {
      const auto& w = relation.waits[i];
      if (takes_part(relation, w, options) && w.source != w.waiter) {
        put(w.waiter, Adjacency::Arc{w.source, i});
      }
    }
  });
  const auto components = strong_components(timelines, graph);
  std::vector<std::vector<TimelineId>> members(components.count);
  std::vector<std::vector<std::uint32_t>> waits(components.count);
  for (TimelineId t = 0; t < timelines; ++t) members[components.of[t]].push_back(t);
  for (std::uint32_t i = 0; i < relation.waits.size(); ++i) {
    const auto& w = relation.waits[i];
    const auto component = components.of[w.waiter];
    if (takes_part(relation, w, options) && components.of[w.source] == component) {
      waits[component].push_back(i);
    }
  }
  std::vector<TimedComponent> result;
  Builder builder(relation, repetitions, options);
  for (std::uint32_t c = 0; c < components.count; ++c) {
    if (waits[c].empty() && !options.serial) continue;
    result.push_back(builder.build(members[c], waits[c]));
  }
  return result;
}

std::vector<TimelineId> deciding(const Relation& relation, TimelineId timeline,
                                 const TimedOptions& options) {
  std::vector<bool> seen(relation.timelines.size(), false);
  std::vector<TimelineId> found{timeline};
  seen[timeline] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto w : relation.waits_of[found[i]]) {
      const auto source = relation.waits[w].source;
      if (seen[source] || !takes_part(relation, relation.waits[w], options)) continue;
      seen[source] = true;
      found.push_back(source);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TimedComponent timed_part(const Relation& relation, const std::vector<std::int64_t>& repetitions,
                          const std::vector<TimelineId>& members, const TimedOptions& options) {
  std::vector<std::uint32_t> waits;
  for (const auto t : members) {
    for (const auto i : relation.waits_of[t]) {
      if (takes_part(relation, relation.waits[i], options)) waits.push_back(i);
    }
  }
  return Builder(relation, repetitions, options).build(members, waits);
}

}  // namespace antiphon::analysis
