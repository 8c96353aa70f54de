#include "check/policy.hpp"

#include "base/int128.hpp"
#include "check/token_walk.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace antiphon::analysis {

namespace {

using Node = std::uint32_t;
constexpr Int128 most = Int128{1} << 62;
constexpr Node nobody = UINT32_MAX;

// What decided a boundary's time in the walk that its policy was taken from.
struct Decision {
  Node by = nobody;
  std::int64_t time = 0;  // from then to now, unscaled
};

struct Ratio {
  Int128 time = -1;
  Int128 iterations = 1;
  bool operator<(const Ratio& other) const {
    return time * other.iterations < other.time * iterations;
  }
};

// Each boundary points at the one that decided it. Finds the slowest cycle among those, and the
// times that follow from it.
class Policy {
 public:
  explicit Policy(const std::vector<Boundary>& boundaries)
      : boundaries_(boundaries), decisions_(boundaries.size()) {}

  std::vector<Decision>& decisions() { return decisions_; }

  // The ratio of the slowest cycle.
  Ratio slowest_cycle() {
    const auto n = static_cast<Node>(boundaries_.size());
    roots_.clear();
    std::vector<std::uint32_t> seen(n, 0);
    std::uint32_t round = 0;
    Ratio best;
    for (Node begin = 0; begin < n; ++begin) {
      ++round;
      auto at = begin;
      while (seen[at] == 0) {
        seen[at] = round;
        at = decisions_[at].by;
      }
      if (seen[at] != round) continue;
      Ratio ratio{0, 0};
      auto around = at;
      do {
        ratio.time += decisions_[around].time;
        ratio.iterations += boundaries_[decisions_[around].by].iterations;
        around = decisions_[around].by;
      } while (around != at);
      if (roots_.empty() || best < ratio) {
        best = ratio;
        roots_.insert(roots_.begin(), at);
      } else {
        roots_.push_back(at);
      }
    }
    return best;
  }

  // The boundaries on the slowest cycle.
  std::vector<Node> slowest() const {
    std::vector<Node> result;
    for (auto at = roots_.front();;) {
      result.push_back(at);
      at = decisions_[at].by;
      if (at == roots_.front()) return result;
    }
  }

  // A boundary on each cycle, one on the slowest first.
  const std::vector<Node>& roots() const noexcept { return roots_; }

  // Times with which each boundary is reached exactly when its decision says, one period after
  // another; on every cycle the root stays as `of_root` says.
  template <typename OfRoot>
  std::vector<Int128> times(const Rational& period, const OfRoot& of_root) const {
    const auto n = static_cast<Node>(boundaries_.size());
    std::vector<Int128> result(n, 0);
    std::vector<std::uint8_t> known(n, 0);
    for (const auto root : roots_) {
      result[root] = of_root(root);
      known[root] = 1;
    }
    std::vector<Node> path;
    for (Node begin = 0; begin < n; ++begin) {
      for (auto at = begin; known[at] == 0; at = decisions_[at].by) path.push_back(at);
      while (!path.empty()) {
        const auto at = path.back();
        path.pop_back();
        const auto& d = decisions_[at];
        result[at] = result[d.by] + Int128{d.time} * period.denominator() -
                     Int128{boundaries_[d.by].iterations} * period.numerator();
        known[at] = 1;
      }
    }
    return result;
  }

 private:
  const std::vector<Boundary>& boundaries_;
  std::vector<Decision> decisions_;
  std::vector<Node> roots_;
};

// All costs of one iteration.
Int128 whole_cost(const TimedComponent& component) {
  Int128 sum = 0;
  for (const auto& t : component.timelines) {
    if (t.cost != nullptr) sum += Int128{t.cost->sum()} * (t.firings / t.cost->phases());
  }
  return sum;
}

// What an iteration takes over where each one's times are a period later than those before.
template <typename Time>
std::vector<Time> before_of(const std::vector<Boundary>& boundaries,
                            const std::vector<Int128>& times, const Rational& period) {
  std::vector<Time> before(boundaries.size());
  for (std::size_t b = 0; b < boundaries.size(); ++b) {
    before[b] =
        static_cast<Time>(times[b] - Int128{boundaries[b].iterations - 1} * period.numerator());
  }
  return before;
}

std::optional<Rational> fraction(Int128 numerator, Int128 denominator) {
  auto a = numerator;
  auto b = denominator;
  while (b != 0) {
    const auto rest = a % b;
    a = b;
    b = rest;
  }
  numerator /= a;
  denominator /= a;
  if (numerator >= most || denominator >= most) return std::nullopt;
  return Rational(static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator));
}

template <typename Time>
class Search {
 public:
  explicit Search(TokenWalk<Time>& walk) : walk_(walk), policy_(walk.boundaries()) {}

  // Walks once with these times and keeps the decisions that are later than the times allow. False
  // when there are none. Times are such that all sums fit, twice as large, too.
  //
  // With `recorded` all is done at twice the scale, and what is on the policy's slowest cycle comes
  // a unit later than its time: of all that decide a time at the same moment these win. So, if the
  // times prove to be right, the firings that are decided by them are decided by one another,
  // around.
  bool improve(const std::vector<Int128>& times, const Rational& period, bool first,
               bool recorded) {
    const auto& boundaries = walk_.boundaries();
    before_ = before_of<Time>(boundaries, times, period);
    if (recorded) {
      for (auto& time : before_) time *= 2;
      for (const auto b : policy_.slowest()) ++before_[b];
    }
    const std::int64_t doubled = recorded ? 2 : 1;
    const auto scale = doubled * period.denominator();
    live_ = recorded ? walk_.record(before_, scale, after_) : walk_.walk(before_, scale, after_);
    if (!live_) return false;
    bool later = false;
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      if (!first && Int128{after_[b].time} - Int128{doubled} * period.numerator() <
                        doubled * (times[b] + 1)) {
        continue;
      }
      later = true;
      const auto by = after_[b].decided_by;
      policy_.decisions()[b] = {by,
                                static_cast<std::int64_t>((after_[b].time - before_[by]) / scale)};
    }
    if (recorded) {
      for (auto& left : after_) left.time = (left.time - (left.time & 1)) / 2;
    }
    return later;
  }

  Policy& policy() { return policy_; }
  bool live() const { return live_; }
  const std::vector<typename TokenWalk<Time>::Left>& after() const { return after_; }

 private:
  TokenWalk<Time>& walk_;
  Policy policy_;
  std::vector<Time> before_;
  std::vector<typename TokenWalk<Time>::Left> after_;
  bool live_ = true;
};

// The firings along the policy's slowest cycle, as recorded by the walk that proved its period.
template <typename Time>
CriticalCycle critical_cycle(const TimedComponent& component, const TokenWalk<Time>& walk,
                             const Policy& policy) {
  using Firing = typename TokenWalk<Time>::Firing;
  using Cause = typename TokenWalk<Time>::Cause;
  struct Step {
    Firing at;
    std::uint32_t wait;
  };
  const auto cause_of = [&](const Firing& at) {
    auto cause = walk.cause(at.timeline, at.number);
    cause.firing.iteration += at.iteration;
    return cause;
  };
  std::vector<Step> path;
  std::vector<std::uint32_t> seen(static_cast<std::size_t>(component.firings), nobody);
  const auto seen_at = [&](const Firing& at) -> std::uint32_t& {
    return seen[walk.first_firing(at.timeline) + static_cast<std::uint32_t>(at.number)];
  };
  auto at = walk.firing_of(policy.roots().front());
  while (seen_at(at) == nobody) {
    seen_at(at) = static_cast<std::uint32_t>(path.size());
    // What started with the one before it waits for what that one waits for.
    auto cause = cause_of(at);
    while (cause.link == Cause::by_start) cause = cause_of(cause.firing);
    path.push_back({at, cause.link == Cause::by_end ? component.timelines[at.timeline].serial_wait
                                                    : component.links[cause.link].wait});
    at = cause.firing;
  }
  const auto begin = seen_at(at);
  CriticalCycle cycle;
  cycle.share = component.share;
  cycle.iterations = path[begin].at.iteration - at.iteration;
  // Numbered so far on that none of them lies among the initial ones.
  const auto shift = -at.iteration;
  for (auto i = begin; i < path.size(); ++i) {
    const auto [t, number, iteration] = path[i].at;
    const auto& timeline = component.timelines[t];
    const auto firing = timeline.start + number + (iteration + shift) * timeline.firings;
    cycle.firings.push_back({timeline.id, firing, path[i].wait});
    if (timeline.cost != nullptr) cycle.time += timeline.cost->at(firing);
  }
  return cycle;
}

// The actor that alone takes longest for an iteration, since it does not overlap itself; often it
// is what limits its component.
struct Slowest {
  std::uint32_t timeline = nobody;
  std::int64_t time = 0;
};

Slowest slowest_alone(const TimedComponent& component) {
  Slowest slowest;
  for (std::uint32_t t = 0; t < component.timelines.size(); ++t) {
    const auto& timeline = component.timelines[t];
    if (timeline.overlap != Overlap::serial || timeline.cost == nullptr) continue;
    const auto time = Int128{timeline.cost->sum()} * (timeline.firings / timeline.cost->phases());
    if (time > slowest.time && time < most) slowest = {t, static_cast<std::int64_t>(time)};
  }
  return slowest;
}

// Each of its firings waits for the one before it.
CriticalCycle cycle_of(const TimedComponent& component, const Slowest& slowest) {
  const auto& timeline = component.timelines[slowest.timeline];
  CriticalCycle cycle;
  cycle.share = component.share;
  cycle.iterations = 1;
  cycle.time = slowest.time;
  cycle.firings.reserve(static_cast<std::size_t>(timeline.firings));
  for (auto n = timeline.start + 2 * timeline.firings; n > timeline.start + timeline.firings; --n) {
    cycle.firings.push_back({timeline.id, n, timeline.serial_wait});
  }
  return cycle;
}

template <typename Time>
PeriodicSchedule schedule(const TimedComponent& component, TokenWalk<Time>& walk,
                          const std::vector<Int128>& times, const Rational& period) {
  std::vector<typename TokenWalk<Time>::Left> after;
  walk.record(before_of<Time>(walk.boundaries(), times, period), period.denominator(), after, true);
  PeriodicSchedule result;
  result.scale = period.denominator();
  result.period = period;
  for (std::uint32_t t = 0; t < component.timelines.size(); ++t) {
    const auto& timeline = component.timelines[t];
    PeriodicSchedule::Row row{timeline.id, timeline.start, {}};
    row.starts.reserve(static_cast<std::size_t>(timeline.firings));
    for (std::int64_t i = 0; i < timeline.firings; ++i) {
      row.starts.push_back(walk.starts()[walk.first_firing(t) + static_cast<std::uint32_t>(i)]);
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

// How large a time may get; a walk adds the whole iteration's cost to it at most.
template <typename Time>
constexpr Int128 most_time = sizeof(Time) > sizeof(std::int64_t) ? Int128{1} << 120 : most;

template <typename Time>
bool fits(const std::vector<Int128>& times, const Rational& period, Int128 cost,
          std::int64_t most_iterations) {
  Int128 largest = 0;
  for (const auto t : times) largest = std::max(largest, t < 0 ? -t : t);
  largest += cost * period.denominator() + Int128{period.numerator()} * most_iterations;
  return largest < most_time<Time> / 4;  // the walk may be done with all of it doubled
}

// Nothing: the times need more bits.
template <typename Time>
std::optional<ComponentPeriod> search(const TimedComponent& component, Keep keep,
                                      std::int64_t& budget) {
  ComponentPeriod result;
  // Before memory is asked for.
  if (budget < component.firings || !TokenWalk<Time>::fits(component)) {
    result.state = Throughput::State::undecided;
    return result;
  }
  const auto cost = whole_cost(component);
  TokenWalk<Time> walk(component);
  const auto& boundaries = walk.boundaries();
  std::int64_t most_iterations = 1;
  for (const auto& b : boundaries) most_iterations = std::max(most_iterations, b.iterations);
  Search<Time> search(walk);
  const auto alone = slowest_alone(component);
  const bool too_long = component.firings > TokenWalk<Time>::most_recorded;
  bool limited_alone = false;
  Rational period = 0;
  std::vector<Int128> times(boundaries.size(), 0);
  for (bool first = true;; first = false) {
    if (!fits<Time>(times, period, cost, most_iterations)) return std::nullopt;
    if (budget < component.firings) {
      result.state = Throughput::State::undecided;
      result.period = period;
      return result;
    }
    budget -= component.firings;
    const bool recorded = keep.cycle && !first && !limited_alone && !too_long;
    if (!search.improve(times, period, first, recorded)) break;
    const auto slowest = search.policy().slowest_cycle();
    auto next = fraction(slowest.time, slowest.iterations);
    if (!next) return std::nullopt;
    limited_alone = !(Rational(alone.time) < *next);
    if (limited_alone) next = Rational(alone.time);
    // Faster cycles keep their places relative to the slowest, as far as the new scale can say
    // them.
    const auto root = search.policy().roots().front();
    const auto& after = search.after();
    const auto old_scale = period.denominator();
    times = search.policy().times(*next, [&](Node b) {
      const Int128 difference = Int128{after[b].time} - after[root].time;
      return difference * next->denominator() / old_scale;
    });
    period = *next;
  }
  if (!search.live()) {
    result.state = Throughput::State::undecided;
    return result;
  }
  result.period = period;
  if (keep.cycle && (limited_alone || !too_long) && period.numerator() > 0) {
    result.cycle = limited_alone ? cycle_of(component, alone)
                                 : critical_cycle(component, walk, search.policy());
  }
  if (keep.schedule && !too_long) result.schedule = schedule(component, walk, times, period);
  return result;
}

// An actor that waits only for itself, one firing after another, takes as long as its cycles.
bool is_serial_alone(const TimedComponent& component) {
  return component.links.empty() && component.timelines.size() == 1 &&
         component.timelines[0].overlap == Overlap::serial;
}

ComponentPeriod serial_period(const TimedComponent& component) {
  const auto slowest = whole_cost(component);
  ComponentPeriod result;
  if (slowest < most) {
    result.period = static_cast<std::int64_t>(slowest);
  } else {
    result.state = Throughput::State::too_large;
  }
  return result;
}

}  // namespace

ComponentPeriod find_period(const TimedComponent& component, Keep keep, std::int64_t& budget) {
  // Most actors of most graphs are such: they need no walk.
  if (!keep.cycle && !keep.schedule && is_serial_alone(component)) return serial_period(component);
  // Where nobody takes any time nothing limits it, however many firings there are.
  if (!keep.schedule && whole_cost(component) == 0) return {};
  auto result = search<std::int64_t>(component, keep, budget);
  if (!result) result = search<Int128>(component, keep, budget);
  if (!result) {
    result.emplace();
    result->state = Throughput::State::too_large;
  }
  return std::move(*result);
}

}  // namespace antiphon::analysis
