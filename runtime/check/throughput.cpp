#include "check/throughput.hpp"

#include "check/policy.hpp"

#include <utility>

namespace antiphon::analysis {

namespace {

constexpr Int128 most = Int128{1} << 62;

// Where an actor waits only for itself, one firing after another, it takes as long as its cycles.
bool is_serial_alone(const TimedComponent& component) {
  return component.links.empty() && component.timelines.size() == 1 &&
         component.timelines[0].overlap == Overlap::serial;
}

ComponentPeriod serial_period(const TimedComponent& component) {
  const auto& timeline = component.timelines[0];
  ComponentPeriod result;
  if (timeline.cost == nullptr || timeline.cost->sum() == 0) return result;
  const auto time = Int128{timeline.cost->sum()} * (timeline.firings / timeline.cost->phases());
  if (time >= most) {
    result.state = Throughput::State::too_large;
    return result;
  }
  result.period = static_cast<std::int64_t>(time);
  return result;
}

}  // namespace

Throughput throughput(const relation::Relation& relation,
                      const std::vector<std::int64_t>& repetitions,
                      const ThroughputOptions& options) {
  Throughput result;
  auto budget = options.budget;
  for (const auto& component : timed_components(relation, repetitions, options.timed)) {
    const Keep keep{options.cycle, options.schedules};
    // Most actors of most graphs are fast ones that wait for nobody else: nothing more is asked of
    // them.
    const bool alone = is_serial_alone(component) && !keep.schedule;
    auto found = alone ? serial_period(component) : find_period(component, keep, budget);
    if (found.state != Throughput::State::exact) result.state = found.state;
    const auto numerator = Int128{found.period.numerator()} * component.share;
    if (numerator >= most) {
      result.state = Throughput::State::too_large;
      continue;
    }
    const Rational period(static_cast<std::int64_t>(numerator), found.period.denominator());
    if (result.period < period) {
      if (alone && keep.cycle) found = find_period(component, keep, budget);
      result.period = period;
      result.cycle = std::move(found.cycle);
    }
    if (keep.schedule) result.schedules.push_back(std::move(found.schedule));
  }
  return result;
}

}  // namespace antiphon::analysis
