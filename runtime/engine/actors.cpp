#include "engine/actors.hpp"

#include "base/int128.hpp"
#include "sync/steady_ns.hpp"

#include <algorithm>

namespace antiphon::engine {

using relation::WaitKind;

namespace {

void sort_unique(std::vector<ActorId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// How often an actor fires in so many iterations, its initial phases first.
std::int64_t firings_for(const plan::PlacedActor& actor, std::int64_t iterations) {
  if (iterations == 0) return 0;
  const auto all = Int128{iterations} * actor.firings_per_iteration + actor.initial_firings;
  return all >= open_ended ? open_ended - 1 : static_cast<std::int64_t>(all);
}

}  // namespace

Actors::Actors(const plan::Placed& placed, std::optional<std::int64_t> iterations)
    : placed_(placed),
      count_(placed.actors.size()),
      states_(std::make_unique<ActorState[]>(count_)),
      neighbours_(count_),
      writers_of_(count_),
      host_waits_(count_, false),
      has_readers_(count_, false),
      outflows_(count_),
      high_water_(placed.rings.size(), 0) {
  const auto& r = placed.relation;
  if (iterations) set_targets(*iterations);
  for (ActorId a = 0; a < count_; ++a) {
    auto& state = states_[a];
    for (const auto i : r.waits_of[a]) {
      const auto& w = r.waits[i];
      if (w.kind == WaitKind::data) outflows_[w.source].push_back(i);
      // On the CPU whoever looks after an actor sees to its order: one firing at a time where k is
      // 1, and otherwise as many as have a lane.
      if (w.kind == WaitKind::self && !on_gpu(a)) continue;
      PendingWait pending;
      pending.wait = i;
      pending.source = w.source;
      pending.kind = w.kind;
      pending.by_submission = on_gpu(a) && on_gpu(w.source);
      pending.offset = w.offset;
      const auto& need = r.need(w);
      const auto& gain = r.gain(w);
      if (need.is_constant() && gain.is_constant() && need.sum() > 0 && gain.sum() > 0 &&
          need.phases() == 1 && gain.phases() == 1) {
        pending.need = need.sum();
        pending.gain = gain.sum();
      }
      require(a, pending);
      state.waits.push_back(pending);
      if (w.source != a) {
        neighbours_[w.source].push_back(a);
        if (!on_gpu(a)) host_waits_[w.source] = true;
        if (w.kind == WaitKind::data) {
          writers_of_[a].push_back(w.source);
          has_readers_[w.source] = true;
        }
      }
    }
  }
  for (ActorId a = 0; a < count_; ++a) {
    sort_unique(neighbours_[a]);
    sort_unique(writers_of_[a]);
    for (const auto writer : writers_of_[a]) states_[writer].open_readers.fetch_add(1);
  }
}

// Initial phases need not balance: a reader that takes more in its own than its writer sends needs
// firings of the writer beyond so many iterations. What a firing waits for is part of the run; in a
// graph that lives, that is finitely much.
void Actors::set_targets(std::int64_t iterations) {
  std::vector<ActorId> raised;
  for (ActorId a = 0; a < count_; ++a) {
    states_[a].target = firings_for(placed_.actors[a], iterations);
    if (states_[a].target > 0 && iterations > 0) raised.push_back(a);
  }
  const auto& r = placed_.relation;
  while (!raised.empty()) {
    const auto a = raised.back();
    raised.pop_back();
    for (const auto i : r.waits_of[a]) {
      const auto& wait = r.waits[i];
      const auto needed = r.timepoint(wait, states_[a].target - 1);
      if (!needed || *needed <= states_[wait.source].target) continue;
      states_[wait.source].target = *needed;
      raised.push_back(wait.source);
    }
  }
}

void Actors::require(ActorId a, PendingWait& wait) const noexcept {
  const auto n = states_[a].next;
  if (wait.gain != 0) {
    const auto amount = Int128{wait.need} * (n + 1) - wait.offset;
    if (amount <= 0) {
      wait.required = 0;
    } else if (wait.gain == 1 && amount < INT64_MAX) {
      wait.required = static_cast<std::int64_t>(amount);
    } else {
      const auto firings = (amount + wait.gain - 1) / wait.gain;
      wait.required = firings >= INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(firings);
    }
    return;
  }
  wait.required =
      placed_.relation.timepoint(placed_.relation.waits[wait.wait], n).value_or(INT64_MAX);
}

Readiness Actors::readiness(ActorId a) noexcept {
  auto& state = states_[a];
  if (state.next >= state.target) return Readiness::finished;
  if (has_readers_[a] && state.open_readers.load(std::memory_order_acquire) == 0)
    return Readiness::ended;
  auto result = Readiness::ready;
  for (auto& wait : state.waits) {
    if (wait.required <= wait.seen) continue;
    const auto& source = states_[wait.source];
    // Before the timeline: a source closes after the last of its firings was counted.
    const auto last = source.last.load(std::memory_order_acquire);
    const auto reached = wait.by_submission ? source.submitted.value() : source.ended.value();
    wait.seen = reached;
    if (reached >= wait.required) continue;
    if (wait.kind == WaitKind::data && last < wait.required) return Readiness::ended;
    // A reader that has ended takes no more: its space waits hold once the firings that it did are
    // over.
    if (wait.kind == WaitKind::space && last < wait.required && reached >= last) continue;
    result = Readiness::waiting;
    state.held_by = wait.kind;
  }
  return result;
}

std::int64_t Actors::allowed(ActorId a) const noexcept {
  const auto& state = states_[a];
  auto most = state.target - state.next;
  for (const auto& wait : state.waits) {
    if (wait.gain == 0) return 1;
    if (wait.gain == 1 && wait.need == 1) {
      most = std::min(most, wait.seen - wait.required + 1);
      continue;
    }
    const auto messages = Int128{wait.gain} * wait.seen + wait.offset;
    if (messages / wait.need - state.next >= most) continue;
    most = static_cast<std::int64_t>(messages / wait.need) - state.next;
  }
  return std::max<std::int64_t>(most, 1);
}

void Actors::advance(ActorId a, std::int64_t firings) noexcept {
  auto& state = states_[a];
  state.next += firings;
  for (auto& wait : state.waits) require(a, wait);
}

void Actors::begin_wait(ActorId a) noexcept {
  states_[a].rests_since_ns = sync::steady_ns();
}

void Actors::end_wait(ActorId a) noexcept {
  auto& state = states_[a];
  if (state.rests_since_ns == 0) return;
  const auto waited = sync::steady_ns() - state.rests_since_ns;
  (state.held_by == WaitKind::data ? state.waited_for_data_ns : state.waited_for_space_ns) +=
      waited;
  state.rests_since_ns = 0;
}

void Actors::note_levels(ActorId a) noexcept {
  const auto& r = placed_.relation;
  const auto sent = states_[a].ended.value();
  for (const auto i : outflows_[a]) {
    const auto& w = r.waits[i];
    const auto level =
        w.offset + r.gain(w).total(sent) - r.need(w).total(states_[w.waiter].ended.value());
    high_water_[w.channel] = std::max(high_water_[w.channel], level);
  }
}

void Actors::close(ActorId a, std::int64_t firings) noexcept {
  states_[a].last.store(firings, std::memory_order_release);
  for (const auto writer : writers_of_[a]) {
    states_[writer].open_readers.fetch_sub(1, std::memory_order_acq_rel);
  }
}

}  // namespace antiphon::engine
