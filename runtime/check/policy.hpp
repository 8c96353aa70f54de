// Policy iteration on one component: its period, and times that prove it.
#pragma once

#include "base/rational.hpp"
#include "check/throughput.hpp"
#include "check/timed_component.hpp"

#include <cstdint>

namespace antiphon::analysis {

struct ComponentPeriod {
  Throughput::State state = Throughput::State::exact;
  Rational period;  // of one of the component's own iterations
  CriticalCycle cycle;
  PeriodicSchedule schedule;
};

struct Keep {
  bool cycle = false;
  bool schedule = false;
};

// Takes the firings that it walks through from the budget.
ComponentPeriod find_period(const TimedComponent& component, Keep keep, std::int64_t& budget);

}  // namespace antiphon::analysis
