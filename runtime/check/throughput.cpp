#include "check/throughput.hpp"

#include "check/policy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace antiphon::analysis {

namespace {

constexpr Int128 most = Int128{1} << 62;

}  // namespace

Throughput throughput(const relation::Relation& relation,
                      const std::vector<std::int64_t>& repetitions,
                      const ThroughputOptions& options) {
  Throughput result;
  auto budget = options.budget;
  std::vector<relation::TimelineId> counted;
  if (options.of) counted = deciding(relation, *options.of, options.timed);
  for (const auto& component : timed_components(relation, repetitions, options.timed)) {
    if (options.of &&
        !std::binary_search(counted.begin(), counted.end(), component.timelines.front().id)) {
      continue;
    }
    const Keep keep{options.cycle, options.schedules};
    // Most actors of most graphs wait for nobody else, and only the slowest one's cycle is asked
    // for.
    const bool alone = component.links.empty() && !keep.schedule;
    auto found = find_period(component, alone ? Keep{} : keep, budget);
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
