#include "check/latency.hpp"

#include "base/int128.hpp"
#include "check/policy.hpp"
#include "check/self_timed.hpp"
#include "check/timed_component.hpp"
#include "check/token_walk.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;
using relation::WaitKind;

constexpr Int128 most = Int128{1} << 62;

std::optional<Rational> rational(Int128 numerator, Int128 denominator) {
  const auto common = gcd(numerator, denominator);
  if (common > 1) {
    numerator /= common;
    denominator /= common;
  }
  if (numerator >= most || denominator >= most) return std::nullopt;
  return Rational(static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator));
}

// The part of the graph that decides when the sink fires, with its source's firings let go one
// after another by a clock.
class Part {
 public:
  Part(const Relation& relation, const std::vector<std::int64_t>& repetitions, TimelineId source,
       TimelineId sink)
      : members_(deciding(relation, sink, {})),
        component_(timed_part(relation, repetitions, members_, {})),
        source_(local(source)),
        sink_(local(sink)) {}

  // The clock's cost is in the unit that the walk's times have.
  void add_clock(std::int64_t cost) {
    clock_cost_ = PhaseSequence(cost);
    TimedTimeline clock;
    clock.id = relation::none;
    clock.cost = &clock_cost_;
    clock.is_scaled = false;
    clock.firings = source().firings;
    component_.firings += std::min(clock.firings, INT64_MAX - component_.firings);
    component_.timelines.push_back(clock);
    Link link;
    link.source = this->clock();
    link.waiter = source_;
    link.gain = link.need = &one_;
    component_.links.push_back(link);
  }

  const TimedComponent& component() const { return component_; }
  const TimedTimeline& source() const { return component_.timelines[source_]; }
  const TimedTimeline& sink() const { return component_.timelines[sink_]; }
  std::uint32_t sink_index() const { return sink_; }
  std::uint32_t clock() const { return static_cast<std::uint32_t>(members_.size()); }
  const std::vector<TimelineId>& members() const { return members_; }
  bool contains(TimelineId id) const {
    return std::binary_search(members_.begin(), members_.end(), id);
  }
  std::uint32_t local(TimelineId id) const {
    return static_cast<std::uint32_t>(std::lower_bound(members_.begin(), members_.end(), id) -
                                      members_.begin());
  }

 private:
  std::vector<TimelineId> members_;
  TimedComponent component_;
  std::uint32_t source_;
  std::uint32_t sink_;
  PhaseSequence clock_cost_;
  PhaseSequence one_;
};

// Walks through one iteration after another, all times less a period for each, until one repeats.
template <typename Time>
class Regime {
 public:
  // Times this early are never waited for.
  static constexpr Time never = -(Time{1} << (sizeof(Time) > 8 ? 120 : 60));

  Regime(const TimedComponent& component, std::int64_t scale, Int128 period)
      : walk_(component), scale_(scale), period_(static_cast<Time>(period)) {}

  const std::vector<Boundary>& boundaries() const { return walk_.boundaries(); }

  // From the times that really were: reached_before(b, i) is when boundary b was reached as the
  // iteration i before the first one left it. What is not kept up gets ever earlier in the long
  // run.
  template <typename ReachedBefore>
  void begin(const ReachedBefore& reached_before, const std::vector<bool>& kept_up) {
    const auto& boundaries = walk_.boundaries();
    now_.times.assign(boundaries.size(), never);
    now_.earlier.assign(boundaries.size(), {});
    runs_ahead_.clear();
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      runs_ahead_.push_back(!kept_up[boundaries[b].timeline]);
      if (is_ages_ago(b)) continue;
      for (auto back = boundaries[b].iterations; back > 1; --back) {
        now_.earlier[b].push_back(reached_before(b, back) + static_cast<Time>(back - 1) * period_);
      }
      now_.times[b] = reached_before(b, 1);
    }
    settled_ = false;
  }
  // As if all iterations before had been like the last one.
  void begin_settled(std::vector<Time> times) {
    now_.times = std::move(times);
    runs_ahead_.assign(now_.times.size(), false);
    settled_ = true;
  }

  // False: not within so many walks.
  bool reach_it(std::int64_t walks) {
    auto seen = now_;
    std::int64_t since = 0;
    for (std::int64_t power = 1; walks > 0; --walks) {
      if (!step()) return false;
      ++since;
      if (repeats(seen) && stays(seen, since)) {
        cycle_ = since;
        return true;
      }
      // Brent, 1980.
      if (since < power) continue;
      seen = now_;
      since = 0;
      power *= 2;
    }
    return false;
  }

  // So many iterations repeat.
  std::int64_t cycle() const { return cycle_; }
  // One iteration on; `starts` takes when the firings of a timeline start in it.
  bool step(std::vector<Time>* starts = nullptr, std::uint32_t timeline = 0,
            std::int64_t firings = 0) {
    before_ = now_.times;
    const auto& boundaries = walk_.boundaries();
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      const auto lag = boundaries[b].iterations - 1;
      if (lag == 0) continue;
      if (is_ages_ago(b)) {
        before_[b] = never;
        continue;
      }
      if (!settled_) {
        before_[b] = now_.earlier[b].front();
        now_.earlier[b].pop_front();
        now_.earlier[b].push_back(now_.times[b]);
      }
      // It is as many periods older.
      if (before_[b] != never) before_[b] -= static_cast<Time>(lag) * period_;
    }
    const bool recorded = starts != nullptr;
    if (!(recorded ? walk_.record(before_, scale_, after_, true)
                   : walk_.walk(before_, scale_, after_))) {
      return false;
    }
    for (std::size_t b = 0; b < boundaries.size(); ++b) {
      now_.times[b] = after_[b].time < never / 2 ? never : after_[b].time - period_;
    }
    if (recorded) {
      const auto begin = walk_.starts().begin() + walk_.first_firing(timeline);
      starts->assign(begin, begin + firings);
    }
    return true;
  }

 private:
  struct State {
    std::vector<Time> times;                // of each boundary, as the last iteration left it
    std::vector<std::deque<Time>> earlier;  // of those that lag: the oldest first
  };

  // Like `seen`, but for what runs ahead, which is nowhere later.
  bool repeats(const State& seen) const {
    for (std::size_t b = 0; b < now_.times.size(); ++b) {
      if (runs_ahead_[b] ? now_.times[b] > seen.times[b] : now_.times[b] != seen.times[b]) {
        return false;
      }
      if (settled_) continue;
      const auto& now = now_.earlier[b];
      const auto& then = seen.earlier[b];
      const bool same = std::equal(now.begin(), now.end(), then.begin(), [&](Time a, Time c) {
        return runs_ahead_[b] ? a <= c : a == c;
      });
      if (!same) return false;
    }
    return true;
  }

  // What runs ahead only gets earlier from here on; if it decides nothing even now, it never will.
  bool stays(const State& seen, std::int64_t cycle) {
    if (std::find(runs_ahead_.begin(), runs_ahead_.end(), true) == runs_ahead_.end()) return true;
    const auto saved = now_;
    for (std::size_t b = 0; b < now_.times.size(); ++b) {
      if (!runs_ahead_[b]) continue;
      now_.times[b] = never;
      std::fill(now_.earlier[b].begin(), now_.earlier[b].end(), never);
    }
    for (std::int64_t i = 0; i < cycle; ++i) {
      if (!step()) return false;
    }
    if (repeats(seen)) return true;
    now_ = saved;
    return false;
  }

  // So many iterations back that it is earlier than anything else can be.
  bool is_ages_ago(std::size_t boundary) const {
    return period_ > 0 && walk_.boundaries()[boundary].iterations - 1 >= -(never / 2) / period_;
  }

  TokenWalk<Time> walk_;
  std::int64_t scale_;
  Time period_;
  bool settled_ = false;
  State now_;
  std::vector<bool> runs_ahead_;
  std::vector<Time> before_;
  std::vector<typename TokenWalk<Time>::Left> after_;
  std::int64_t cycle_ = 0;
};

// The first firing of each timeline that is behind firing n of `source`, through waits that count.
template <typename Counts>
std::vector<std::int64_t> first_behind(const Relation& relation, TimelineId source, std::int64_t n,
                                       const Counts& counts) {
  std::vector<std::int64_t> first(relation.timelines.size(), -1);
  first[source] = n;
  std::vector<TimelineId> todo{source};
  while (!todo.empty()) {
    const auto t = todo.back();
    todo.pop_back();
    for (const auto i : relation.waits_upon[t]) {
      const auto& wait = relation.waits[i];
      if (!counts(wait) || wait.waiter == source) continue;
      // The first message that is sent in that firing or after it.
      const auto& gain = relation.gain(wait);
      const auto sent = gain.total(first[t]);
      const auto message = Int128{wait.offset} + sent + 1;
      if (message >= most || !gain.least_reaching(sent + 1)) continue;
      const auto firings = relation.need(wait).least_reaching(static_cast<std::int64_t>(message));
      if (!firings) continue;
      auto& known = first[wait.waiter];
      if (known >= 0 && known <= *firings - 1) continue;
      known = *firings - 1;
      todo.push_back(wait.waiter);
    }
  }
  return first;
}

class Search {
 public:
  Search(const Relation& relation, const std::vector<std::int64_t>& repetitions, TimelineId source,
         TimelineId sink, std::int64_t budget)
      : relation_(relation),
        repetitions_(repetitions),
        source_(source),
        sink_(sink),
        budget_(budget),
        part_(relation, repetitions, source, sink) {}

  LatencyFound find(std::optional<std::int64_t> given) {
    if (!part_.contains(source_)) return failed(LatencyFound::State::unconnected);
    if (!find_periods()) return found_;
    const auto firings = Int128{repetitions_[source_]} * relation_.timelines[source_].phases;
    const auto least = rational(period_.numerator(), firings * period_.denominator());
    if (!least) return failed(LatencyFound::State::too_large);
    found_.least_step = *least;
    found_.step = given ? Rational(*given) : *least;
    if (!find_first()) return found_;
    if (found_.step < *least) return failed(LatencyFound::State::infinite);
    just_as_fast_ = found_.step == *least;
    find_steady();
    return found_;
  }

 private:
  using State = LatencyFound::State;

  LatencyFound failed(State state) {
    found_.state = state;
    return found_;
  }

  // How fast what the sink waits for can be; false: not known.
  bool find_periods() {
    for (const auto& component : timed_components(relation_, repetitions_, {})) {
      if (!part_.contains(component.timelines.front().id)) continue;
      const auto period = find_period(component, {}, budget_);
      if (period.state != Throughput::State::exact) {
        found_.state =
            period.state == Throughput::State::undecided ? State::undecided : State::too_large;
        return false;
      }
      const auto whole = rational(Int128{period.period.numerator()} * component.share,
                                  period.period.denominator());
      if (!whole) {
        found_.state = State::too_large;
        return false;
      }
      if (period_ < *whole) {
        period_ = *whole;
        slowest_.clear();
      }
      if (*whole == period_) slowest_.push_back(component.timelines.front().id);
    }
    return true;
  }

  bool find_first() {
    constexpr std::int64_t most_firings = 1 << 22;
    const auto first = first_reached(relation_, source_, 0)[sink_];
    SelfTimed run(relation_, found_.step.denominator(), {source_, found_.step.numerator()});
    if (!run.reach(sink_, first + 1, std::min(budget_, most_firings))) {
      found_.state = State::undecided;
      return false;
    }
    const auto time = rational(run.end(sink_, first), found_.step.denominator());
    if (!time) found_.state = State::too_large;
    if (time) found_.first = *time;
    return time.has_value();
  }

  void find_steady() {
    const auto scale = found_.step.denominator();
    part_.add_clock(found_.step.numerator());
    const auto& component = part_.component();
    if (!TokenWalk<std::int64_t>::fits(component) ||
        component.firings > TokenWalk<std::int64_t>::most_recorded) {
      found_.state = State::undecided;
      return;
    }
    const auto period = Int128{found_.step.numerator()} * part_.source().firings;
    Int128 most_added = period;
    for (const auto& t : component.timelines) {
      if (t.cost == nullptr) continue;
      most_added +=
          Int128{t.cost->sum()} * (t.firings / t.cost->phases() + 1) * (t.is_scaled ? scale : 1);
      if (most_added >= Int128{1} << 90) {
        found_.state = State::too_large;
        return;
      }
    }
    const auto& timelines = component.timelines;
    const bool from_start = std::all_of(timelines.begin(), timelines.end(),
                                        [](const TimedTimeline& t) { return t.start == 0; });
    if (from_start && most_added < Int128{1} << 40) {
      find_steady_with<std::int64_t>(period);
    } else {
      find_steady_with<Int128>(period);
    }
  }

  template <typename Time>
  void find_steady_with(Int128 period) {
    Regime<Time> regime(part_.component(), found_.step.denominator(), period);
    if (!begin(regime)) {
      found_.state = State::undecided;
      return;
    }
    // So few walks that no sum of times leaves its room.
    constexpr std::int64_t most_walks = 1 << 18;
    const auto firings = std::max<std::int64_t>(part_.component().firings, 1);
    if (!regime.reach_it(std::min(budget_ / firings, most_walks)) ||
        regime.cycle() > budget_ / firings ||
        Int128{regime.cycle()} * part_.sink().firings > Int128{1} << 26) {
      found_.state = State::undecided;
      return;
    }
    measure(regime, static_cast<Time>(period));
  }

  template <typename Time>
  bool begin(Regime<Time>& regime) {
    const auto& boundaries = regime.boundaries();
    const auto& members = part_.members();
    const auto clock = part_.clock();
    if (!just_as_fast_) {
      std::vector<Time> times(boundaries.size(), Regime<Time>::never);
      for (std::size_t b = 0; b < boundaries.size(); ++b) {
        if (boundaries[b].timeline == clock) times[b] = -Time{found_.step.numerator()};
      }
      regime.begin_settled(std::move(times));
      return true;
    }
    Int128 earlier = 0;
    for (const auto& b : boundaries) earlier += b.iterations - 1;
    constexpr std::int64_t most_firings = 1 << 22;
    if (earlier > most_firings) return false;
    SelfTimed run(relation_, found_.step.denominator(), {source_, found_.step.numerator()});
    // A walk tells messages apart by the firings that put them in, as if there had been no initial
    // phases: they have to be over for as long as any message stays.
    const auto& timelines = part_.component().timelines;
    if (std::any_of(members.begin(), members.end(),
                    [&](TimelineId t) { return relation_.timelines[t].initial_phases > 0; })) {
      for (const auto& b : boundaries) ahead_ = std::max(ahead_, b.iterations);
    }
    for (const auto& t : timelines) {
      if (t.id == relation::none) continue;
      if (Int128{ahead_} * t.firings > most_firings ||
          !run.reach(t.id, t.start + ahead_ * t.firings, most_firings)) {
        return false;
      }
    }
    const auto reached_before = [&](std::size_t index, std::int64_t iterations) -> Time {
      const auto& b = boundaries[index];
      const auto& t = timelines[b.timeline];
      const auto n = t.start + (ahead_ + 1 - iterations) * t.firings - b.back;
      if (b.timeline == clock) {
        return static_cast<Time>((begun_at() - 1) * found_.step.numerator());
      }
      if (n < 0) return 0;
      if (b.start) return static_cast<Time>(run.start(t.id, n));
      return static_cast<Time>(t.overlap == Overlap::unordered ? run.end(t.id, n)
                                                               : run.reached(t.id, n + 1));
    };
    regime.begin(reached_before, kept_up());
    return true;
  }

  // Firings of the source before those that the clock starts with.
  Int128 begun_at() const {
    const auto& source = part_.source();
    return just_as_fast_ ? source.start + Int128{ahead_} * source.firings : 0;
  }

  // Those that fire at the source's pace in the long run: what is faster and waits for none of them
  // gets ever further ahead.
  std::vector<bool> kept_up() const {
    const auto& component = part_.component();
    std::vector<bool> kept(component.timelines.size(), false);
    std::vector<std::uint32_t> todo;
    const auto keep = [&](std::uint32_t t) {
      if (kept[t]) return;
      kept[t] = true;
      todo.push_back(t);
    };
    keep(part_.clock());
    for (const auto id : slowest_) keep(part_.local(id));
    std::vector<std::vector<std::uint32_t>> waiters(component.timelines.size());
    for (const auto& link : component.links) waiters[link.source].push_back(link.waiter);
    while (!todo.empty()) {
      const auto t = todo.back();
      todo.pop_back();
      for (const auto w : waiters[t]) keep(w);
    }
    return kept;
  }

  template <typename Time>
  void measure(Regime<Time>& regime, Time period) {
    const auto& source = part_.source();
    const auto& sink = part_.sink();
    const auto scale = found_.step.denominator();
    const auto step = Int128{found_.step.numerator()};
    // When the sink's firings end, in each of the iterations that repeat.
    std::vector<std::vector<Time>> ends(static_cast<std::size_t>(regime.cycle()));
    for (auto& iteration : ends) {
      if (!regime.step(&iteration, part_.sink_index(), sink.firings)) {
        found_.state = State::undecided;
        return;
      }
      for (std::size_t i = 0; i < iteration.size() && sink.cost != nullptr; ++i) {
        iteration[i] += static_cast<Time>(
            Int128{sink.cost->at(sink.start + static_cast<std::int64_t>(i))} * scale);
      }
    }
    // So late that whoever is reached is past its initial phases.
    std::int64_t iteration = 1;
    const auto past = [&] {
      const auto reached =
          first_reached(relation_, source_, source.start + iteration * source.firings);
      return std::all_of(part_.members().begin(), part_.members().end(), [&](TimelineId t) {
        return reached[t] < 0 || reached[t] >= part_.component().timelines[part_.local(t)].start;
      });
    };
    while (!past()) iteration *= 2;
    if (first_reached(relation_, source_, source.start + iteration * source.firings)[sink_] < 0) {
      found_.state = State::unconnected;
      return;
    }
    Int128 longest = 0;
    for (std::int64_t i = 0; i < source.firings; ++i) {
      budget_ -= static_cast<std::int64_t>(relation_.waits.size());
      if (budget_ < 0) {
        found_.state = State::undecided;
        return;
      }
      const auto n = source.start + iteration * source.firings + i;
      const auto reached = first_reached(relation_, source_, n)[sink_] - sink.start;
      const auto later = reached / sink.firings - iteration;
      const auto index = static_cast<std::size_t>(reached % sink.firings);
      const auto arrival = (i + begun_at()) * step;
      for (std::int64_t c = 0; c < regime.cycle(); ++c) {
        auto at = (c + later) % regime.cycle();
        if (at < 0) at += regime.cycle();
        const auto end = Int128{ends[static_cast<std::size_t>(at)][index]} + later * Int128{period};
        longest = std::max(longest, end - arrival);
      }
    }
    const auto time = rational(longest, scale);
    if (time) {
      found_.steady = *time;
    } else {
      found_.state = State::too_large;
    }
  }

  const Relation& relation_;
  const std::vector<std::int64_t>& repetitions_;
  TimelineId source_;
  TimelineId sink_;
  std::int64_t budget_;
  Part part_;
  LatencyFound found_;
  Rational period_;                  // the least of one iteration, of what the sink waits for
  std::vector<TimelineId> slowest_;  // one of each component that has the period
  bool just_as_fast_ = true;
  std::int64_t ahead_ = 0;  // iterations that are fired before the first walk
};

}  // namespace

std::vector<std::int64_t> first_reached(const Relation& relation, TimelineId source,
                                        std::int64_t n) {
  return first_behind(relation, source, n,
                      [](const relation::Wait& w) { return w.kind == WaitKind::data; });
}

std::vector<std::int64_t> first_held_up(const Relation& relation, TimelineId source,
                                        std::int64_t n) {
  return first_behind(relation, source, n, [](const relation::Wait&) { return true; });
}

LatencyFound latency(const Relation& relation, const std::vector<std::int64_t>& repetitions,
                     TimelineId source, TimelineId sink, std::optional<std::int64_t> step,
                     std::int64_t budget) {
  return Search(relation, repetitions, source, sink, budget).find(step);
}

}  // namespace antiphon::analysis
