#include "check/block_run.hpp"

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

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t nowhere = UINT32_MAX;
// Steps; more for large blocks, of which the proof looks at every wait, too.
constexpr std::int64_t first_proof_after = 100'000;

std::int64_t clamped(Int128 value) {
  return static_cast<std::int64_t>(
      std::clamp<Int128>(value, std::numeric_limits<std::int64_t>::min(), unlimited));
}

// Where the values of a sequence change, from 0 up to `end`, shifted by `shift`.
void add_changes(const PhaseSequence& s, std::int64_t shift, std::int64_t end,
                 std::vector<std::int64_t>& changes) {
  std::int64_t at = shift;
  for (const auto& run : s.initial_runs()) {
    changes.push_back(at);
    at += run.count;
  }
  if (s.periodic_runs().size() == 1) {
    changes.push_back(at);
    return;
  }
  while (at < end) {
    for (const auto& run : s.periodic_runs()) {
      changes.push_back(at);
      at += run.count;
    }
  }
}

// An actor's wait upon itself depends on nothing but its own firings: firing j may start while
// offset + gain.total(j) - need.total(j + 1) >= 0. That is linear in j between the changes of the
// two sequences, and repeats after one cycle. Returns the first j that may not.
std::int64_t first_held_up(const Relation& relation, const Wait& w) {
  const auto& gain = relation.gain(w);
  const auto& need = relation.need(w);
  const auto initial = std::max(gain.initial_phases(), need.initial_phases());
  const auto end = clamped(Int128{initial} + std::max(gain.phases(), need.phases()) + 1);
  std::vector<std::int64_t> changes{0};
  add_changes(gain, 0, end, changes);
  add_changes(need, -1, end, changes);
  changes.push_back(end);
  std::sort(changes.begin(), changes.end());
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    const auto from = std::max<std::int64_t>(changes[i], 0);
    const auto to = std::min(changes[i + 1], end);
    if (from >= to) continue;
    const Int128 spare = Int128{w.offset} + gain.total(from) - need.total(from + 1);
    if (spare < 0) return from;
    const Int128 slope = Int128{gain.at(from)} - need.at(from + 1);
    if (slope >= 0) continue;
    const Int128 held_up = from + spare / -slope + 1;
    if (held_up < to) return static_cast<std::int64_t>(held_up);
  }
  return unlimited;
}

}  // namespace

bool is_live_pair(const Relation& relation, const Block& block) {
  if (block.waits.size() != 2) return false;
  const auto& data = relation.waits[block.waits[0]];
  const auto& space = relation.waits[block.waits[1]];
  if (data.kind != WaitKind::data || space.kind != WaitKind::space) return false;
  if (data.channel != space.channel || data.source == data.waiter) return false;
  if (data.offset < 0 || space.offset < 0) return false;
  const auto& sends = relation.gain(data);
  const auto& takes = relation.need(data);
  if (!sends.is_constant() || !takes.is_constant()) return false;
  const auto p = sends.max();
  const auto c = takes.max();
  if (p == 0 || c == 0) return false;
  const auto g = std::gcd(p, c);
  return Int128{data.offset} + space.offset >= Int128{p} + c - g + data.offset % g;
}

BlockRun::BlockRun(const Relation& relation, const Block& block,
                   const std::vector<std::int64_t>& repetitions)
    : relation_(relation), timelines_(block.timelines), indices_(block.waits) {
  const auto n = timelines_.size();
  // Of the timelines between the block's first and last; those of few are found one by one.
  std::vector<std::uint32_t> numbers;
  const auto first = timelines_.front();
  const std::size_t span = timelines_.back() - first + 1;
  if (span <= 8 * n) {
    numbers.resize(span);
    for (std::uint32_t i = 0; i < n; ++i) numbers[timelines_[i] - first] = i;
  }
  const auto local_of = [&](TimelineId t) {
    if (!numbers.empty()) return numbers[t - first];
    return static_cast<std::uint32_t>(std::lower_bound(timelines_.begin(), timelines_.end(), t) -
                                      timelines_.begin());
  };
  first_wait_.assign(n + 1, 0);
  first_upon_.assign(n + 1, 0);
  for (const auto i : block.waits) {
    ++first_wait_[local_of(relation.waits[i].waiter) + 1];
    ++first_upon_[local_of(relation.waits[i].source) + 1];
  }
  std::partial_sum(first_wait_.begin(), first_wait_.end(), first_wait_.begin());
  std::partial_sum(first_upon_.begin(), first_upon_.end(), first_upon_.begin());
  waits_.resize(block.waits.size());
  upon_.resize(block.waits.size());
  places_.reserve(block.waits.size());
  auto next_wait = first_wait_;
  auto next_upon = first_upon_;
  std::vector<std::int64_t> initial(n, 0);
  for (const auto i : block.waits) {
    const auto& w = relation.waits[i];
    const auto waiter = local_of(w.waiter);
    const auto source = local_of(w.source);
    const auto at = next_wait[waiter]++;
    waits_[at] = {w.offset, i, waiter, source, Meter(relation.need(w)), Meter(relation.gain(w))};
    upon_[next_upon[source]++] = {at, waiter};
    places_.push_back(at);
    initial[waiter] = std::max(initial[waiter], relation.need(w).initial_phases());
    initial[source] = std::max(initial[source], relation.gain(w).initial_phases());
  }
  // The part of an iteration in this block may be several of the block's own: what balances its
  // waits, and takes each of their sequences round.
  std::vector<Int128> rounds(n);
  for (std::size_t i = 0; i < n; ++i) {
    rounds[i] = Int128{repetitions[timelines_[i]]} * relation.timelines[timelines_[i]].phases;
  }
  for (const auto& w : waits_) {
    const auto& whole = relation.waits[w.index];
    if (!relation.need(whole).is_constant()) rounds[w.waiter] = repetitions[whole.waiter];
    if (!relation.gain(whole).is_constant()) rounds[w.source] = repetitions[whole.source];
  }
  Int128 common = 0;
  for (const auto r : rounds) common = gcd(common, r);
  target_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto& timeline = relation.timelines[timelines_[i]];
    firings_.push_back(clamped(Int128{repetitions[timelines_[i]]} * timeline.phases / common));
    target_[i] = clamped(Int128{firings_[i]} + std::max(initial[i], timeline.initial_phases));
  }
  allowed_.resize(waits_.size());
  seen_.resize(waits_.size());
  ready_.resize(n);
  reset();
}

void BlockRun::reset() {
  goal_ = target_;
  held_by_.assign(timelines_.size(), nowhere);
  fired_.assign(timelines_.size(), 0);
  is_ready_.assign(timelines_.size(), 0);
  ready_at_ = 0;
  ready_count_ = 0;
  for (std::uint32_t w = 0; w < waits_.size(); ++w) {
    waits_[w].need.reset();
    waits_[w].gain.reset();
    refresh(w);
  }
  for (std::uint32_t i = 0; i < timelines_.size(); ++i) push(i);
}

std::optional<std::uint32_t> BlockRun::local(std::uint32_t wait) const {
  const auto found = std::lower_bound(indices_.begin(), indices_.end(), wait);
  if (found == indices_.end() || *found != wait) return std::nullopt;
  return places_[static_cast<std::size_t>(found - indices_.begin())];
}

void BlockRun::push(std::uint32_t timeline) {
  if (is_ready_[timeline] != 0) return;
  is_ready_[timeline] = 1;
  auto at = ready_at_ + ready_count_++;
  if (at >= ready_.size()) at -= ready_.size();
  ready_[at] = timeline;
}

// The source of a wait has fired. A timeline is looked at again only when the wait that held it up
// last lets go of it; the others it meets then.
void BlockRun::raise(std::uint32_t wait, std::uint32_t waiter) {
  if (held_by_[waiter] != wait) return;
  refresh(wait);
  if (!holds_up(wait)) push(waiter);
}

void BlockRun::refresh(std::uint32_t wait) {
  auto& w = waits_[wait];
  const auto source_fired = fired_[w.source];
  const auto waiter_fired = fired_[w.waiter];
  seen_[wait] = source_fired;
  if (w.waiter == w.source) {
    allowed_[wait] = first_held_up(relation_, as_it_is(w));
    return;
  }
  w.gain.advance_to(source_fired);
  w.need.advance_to(waiter_fired);
  const auto spare = clamped(Int128{w.offset} + w.gain.total() - w.need.total());
  if (spare < 0) {
    allowed_[wait] = waiter_fired;
    return;
  }
  const auto more = w.need.within(spare);
  allowed_[wait] = more > unlimited - waiter_fired ? unlimited : waiter_fired + more;
}

// How often the timeline may fire in all, up to its goal. What a wait allowed before it still
// allows, so only those that may set the limit are brought up to date.
std::int64_t BlockRun::reachable(std::uint32_t timeline) {
  auto most = goal_[timeline];
  auto& by = held_by_[timeline];
  by = nowhere;
  for (auto w = first_wait_[timeline]; w < first_wait_[timeline + 1]; ++w) {
    if (allowed_[w] >= most) continue;
    if (seen_[w] != fired_[waits_[w].source]) refresh(w);
    if (allowed_[w] >= most) continue;
    most = allowed_[w];
    by = w;
    if (most <= fired_[timeline]) break;
  }
  return most;
}

BlockRun::State BlockRun::run(std::int64_t& budget) {
  // Most blocks are walked through in less time than the other proof takes. Where an iteration is
  // long, that is tried now and then, from where the walk has come.
  auto before_proof = std::max(first_proof_after, 4 * static_cast<std::int64_t>(waits_.size()));
  for (;;) {
    auto part = std::min(budget, before_proof);
    const auto given = part;
    const auto state = walk(part);
    budget -= given - part;
    if (state != State::undecided) return state;
    if (has_periodic_order(relation_, snapshot())) return State::lives;
    if (budget <= 0) return State::undecided;
    before_proof *= 16;
  }
}

Wait BlockRun::as_it_is(const LocalWait& wait) const {
  auto whole = relation_.waits[wait.index];
  whole.offset = wait.offset;
  return whole;
}

BlockState BlockRun::snapshot() const {
  BlockState state{timelines_, {}, fired_, firings_};
  state.waits.reserve(waits_.size());
  for (const auto& w : waits_) state.waits.push_back(as_it_is(w));
  return state;
}

BlockRun::State BlockRun::walk(std::int64_t& steps) {
  do {
    while (ready_count_ > 0) {
      if (steps <= 0) return State::undecided;
      --steps;
      const auto at = ready_[ready_at_];
      if (++ready_at_ == ready_.size()) ready_at_ = 0;
      --ready_count_;
      is_ready_[at] = 0;
      const auto most = reachable(at);
      if (most <= fired_[at]) continue;
      fired_[at] = most;
      for (auto u = first_upon_[at]; u < first_upon_[at + 1]; ++u) {
        raise(upon_[u].wait, upon_[u].waiter);
      }
    }
  } while (raise_goals());
  for (std::size_t i = 0; i < timelines_.size(); ++i) {
    if (fired_[i] < target_[i]) return State::stuck;
  }
  return State::lives;
}

// Where initial phases take more than they send, some timelines have to go beyond their own target
// for others to reach theirs. Raising goals only as far as a next firing waits for keeps it finite.
bool BlockRun::raise_goals() {
  bool raised = false;
  for (std::uint32_t i = 0; i < timelines_.size(); ++i) {
    if (fired_[i] >= goal_[i]) continue;
    for (auto w = first_wait_[i]; w < first_wait_[i + 1]; ++w) {
      if (holds_up(w)) refresh(w);
      if (!holds_up(w)) continue;
      const auto source = waits_[w].source;
      const auto point = relation_.timepoint(as_it_is(waits_[w]), fired_[i]);
      if (source == i || !point || *point <= goal_[source]) continue;
      goal_[source] = *point;
      push(source);
      raised = true;
    }
  }
  return raised;
}

Hop BlockRun::hop(std::uint32_t wait) const {
  const auto& w = waits_[wait];
  Hop hop{timelines_[w.waiter], fired_[w.waiter], w.index, fired_[w.source],
          relation_.timepoint(as_it_is(w), fired_[w.waiter])};
  return hop;
}

std::vector<std::uint32_t> BlockRun::blocked_waits() const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t w = 0; w < waits_.size(); ++w) {
    if (fired_[waits_[w].waiter] < goal_[waits_[w].waiter] && holds_up(w)) {
      result.push_back(waits_[w].index);
    }
  }
  return result;
}

std::vector<Hop> BlockRun::stalled_path() const {
  std::uint32_t at = 0;
  while (fired_[at] >= target_[at]) ++at;
  // Whoever is stuck waits for somebody who is stuck: follow until somebody comes again.
  std::vector<std::uint32_t> path;
  std::vector<std::uint32_t> seen(timelines_.size(), nowhere);
  while (seen[at] == nowhere) {
    seen[at] = static_cast<std::uint32_t>(path.size());
    auto w = first_wait_[at];
    while (!holds_up(w)) ++w;
    path.push_back(w);
    if (!relation_.timepoint(as_it_is(waits_[w]), fired_[at])) return {hop(w)};
    at = waits_[w].source;
  }
  path.erase(path.begin(), path.begin() + seen[at]);
  // Another way round may be shorter and say the same in fewer words.
  constexpr std::size_t most_tries = 16;
  const auto tries = std::min(path.size(), most_tries);
  const auto members = path;
  for (std::size_t i = 0; i < tries; ++i) {
    const auto shorter = shortest_cycle(waits_[members[i]].waiter);
    if (!shorter.empty() && shorter.size() < path.size()) path = shorter;
  }
  std::vector<Hop> hops;
  hops.reserve(path.size());
  for (const auto w : path) hops.push_back(hop(w));
  return hops;
}

// Breadth first along waits that hold up.
std::vector<std::uint32_t> BlockRun::shortest_cycle(std::uint32_t through) const {
  std::vector<std::uint32_t> came_by(timelines_.size(), nowhere);
  std::vector<std::uint32_t> order{through};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto at = order[i];
    for (auto w = first_wait_[at]; w < first_wait_[at + 1]; ++w) {
      if (!holds_up(w)) continue;
      const auto source = waits_[w].source;
      if (source == through) {
        std::vector<std::uint32_t> path{w};
        for (auto t = at; t != through; t = waits_[came_by[t]].waiter) path.push_back(came_by[t]);
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (came_by[source] != nowhere) continue;
      came_by[source] = w;
      order.push_back(source);
    }
  }
  return {};
}

std::int64_t BlockRun::lacking(std::uint32_t wait) const {
  const auto w = local(wait);
  if (!w) return 0;
  const auto& at = waits_[*w];
  const auto& whole = relation_.waits[at.index];
  return clamped(Int128{relation_.need(whole).total(fired_[at.waiter] + 1)} - at.offset -
                 relation_.gain(whole).total(fired_[at.source]));
}

void BlockRun::add_offset(std::uint32_t wait, std::int64_t more) {
  const auto w = local(wait);
  if (!w) return;
  auto& at = waits_[*w];
  at.offset = clamped(Int128{at.offset} + more);
  const auto waiter = at.waiter;
  refresh(*w);
  if (fired_[waiter] < goal_[waiter]) push(waiter);
}

}  // namespace antiphon::analysis
