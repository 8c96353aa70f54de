#include "engine/device_side.hpp"

#include "sync/steady_ns.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace antiphon::engine {

using device::Barrier;
using relation::WaitKind;

namespace {

// Work that was submitted can't be recalled: these bound how long a stop takes, and how far the
// device runs ahead of what the host has seen.
constexpr std::size_t most_batches_in_flight = 16;
constexpr std::size_t most_dispatches_in_a_submit = 512;
// More than two batches only while they are short: some drivers tell of a batch that has ended only
// when what follows it on the queue has ended too (lavapipe's threads take a lock in turns), and
// the host should not learn of one long batch many batches later.
constexpr std::size_t least_batches_in_flight = 2;
constexpr std::int64_t most_ns_in_flight = 2'000'000;

}  // namespace

DeviceSide::DeviceSide(const plan::Placed& placed, Actors& actors, const Storage& storage,
                       std::unique_ptr<device::Queue> queue, Scheduler& scheduler,
                       trace::Recorder* recorder, bool measure)
    : placed_(placed),
      actors_(actors),
      storage_(storage),
      queue_(std::move(queue)),
      scheduler_(scheduler),
      recorder_(recorder),
      measure_(measure),
      marks_(actors.size()),
      recent_ns_(std::make_unique<std::atomic<std::int64_t>[]>(actors.size())) {}

bool DeviceSide::enough_in_flight() const noexcept {
  const auto batches = flying_.load(std::memory_order_acquire) + used_;
  if (recorded_ >= most_dispatches_in_a_submit || batches >= most_batches_in_flight) return true;
  return batches >= least_batches_in_flight &&
         flying_ns_.load(std::memory_order_relaxed) + recorded_ns_ >= most_ns_in_flight;
}

void DeviceSide::ask(ActorId a) noexcept {
  if (!actors_[a].activity.ask()) return;
  const std::lock_guard lock(inbox_mutex_);
  inbox_.push_back(a);
}

void DeviceSide::submit(unsigned worker) noexcept {
  if (!submitting_.ask()) return;
  submitting_.begin();
  do {
    {
      const std::lock_guard lock(inbox_mutex_);
      arrived_.swap(inbox_);
    }
    for (const auto a : arrived_) {
      actors_[a].activity.begin();
      if (measure_) actors_.end_wait(a);
      level_.push_back(a);
    }
    arrived_.clear();
    level_.insert(level_.end(), held_.begin(), held_.end());
    held_.clear();
    lay_out(worker);
  } while (!submitting_.rest());
}

// Records all that is ready, level by level: what depends on nothing recorded since the last
// barrier goes into the present level, the rest behind the next barrier.
void DeviceSide::lay_out(unsigned worker) noexcept {
  while (!level_.empty()) {
    for (std::size_t i = 0; i < level_.size(); ++i) look_at(level_[i], worker);
    level_.clear();
    if (deferred_.empty()) break;
    begin_level();
  }
  cut();
  if (used_ > 0) send();
}

void DeviceSide::look_at(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  for (;;) {
    const auto readiness = scheduler_.stopping() ? Readiness::waiting : actors_.readiness(a);
    switch (readiness) {
      case Readiness::waiting:
        if (measure_) actors_.begin_wait(a);
        if (state.activity.rest()) return;
        actors_.drop_wait(a);
        continue;
      case Readiness::ended:
        actors_.close(a, state.next);
        [[fallthrough]];
      case Readiness::finished:
        state.activity.retire();
        scheduler_.retire(a);
        if (readiness == Readiness::ended) {
          for (const auto b : actors_.neighbours(a)) {
            if (actors_.on_gpu(b)) {
              consider(b);
            } else {
              scheduler_.ask(b, worker);
            }
          }
        }
        return;
      case Readiness::ready:
        break;
    }
    break;
  }
  if (enough_in_flight()) {
    held_.push_back(a);
    return;
  }
  const auto barrier = barrier_before(a);
  if (barrier != Barrier::none) {
    deferred_barrier_ = std::max(deferred_barrier_, barrier);
    deferred_.push_back(a);
    return;
  }
  record(a);
  level_.push_back(a);
  for (const auto b : actors_.neighbours(a)) {
    if (actors_.on_gpu(b)) consider(b);
  }
}

void DeviceSide::consider(ActorId a) noexcept {
  if (!actors_[a].activity.ask()) return;  // it is being looked at, or in the inbox
  actors_[a].activity.begin();
  if (measure_) actors_.end_wait(a);
  level_.push_back(a);
}

// Whether a firing that this one waits for was recorded after the last barrier that would order the
// two.
Barrier DeviceSide::barrier_before(ActorId a) const noexcept {
  auto barrier = Barrier::none;
  for (const auto& wait : actors_[a].waits) {
    if (!wait.by_submission || wait.required <= 0) continue;
    const auto& mark = marks_[wait.source];
    const auto required =
        std::min(wait.required, actors_[wait.source].last.load(std::memory_order_acquire));
    if (wait.kind == WaitKind::data) {
      if (mark.memory == memory_ && required > mark.before_memory) return Barrier::memory;
    } else if (mark.execution == execution_ && required > mark.before_execution) {
      barrier = Barrier::execution;
    }
  }
  return barrier;
}

void DeviceSide::begin_level() noexcept {
  // Others learn of a firing with its batch: a level that the host waits for ends one.
  if (level_is_awaited_) cut();
  ++execution_;
  if (deferred_barrier_ == Barrier::memory) ++memory_;
  pending_barrier_ = std::max(pending_barrier_, std::exchange(deferred_barrier_, Barrier::none));
  level_.swap(deferred_);
  deferred_.clear();
}

void DeviceSide::record(ActorId a) {
  auto& state = actors_[a];
  const auto& actor = placed_.actors[a];
  const auto n = state.next;
  const auto index = actor.window_index(n);

  auto& mark = marks_[a];
  if (mark.execution != execution_) {
    mark.execution = execution_;
    mark.before_execution = n;
  }
  if (mark.memory != memory_) {
    mark.memory = memory_;
    mark.before_memory = n;
  }

  if (used_ == batches_.size()) {
    batches_.emplace_back();
    flights_.emplace_back();
  }
  device::Dispatch dispatch;
  dispatch.before = std::exchange(pending_barrier_, Barrier::none);
  dispatch.kernel = actor.kernel.get();
  dispatch.bindings = &storage_.bindings(a, index);
  dispatch.groups = actor.groups.size() == 1 ? actor.groups.front() : actor.groups[index];
  batches_[used_].dispatches.push_back(dispatch);
  flights_[used_].fired.push_back({a, n});
  const auto predicted_ns = recent_ns_[a].load(std::memory_order_relaxed);
  flights_[used_].predicted_ns += predicted_ns;
  recorded_ns_ += predicted_ns;
  ++recorded_;
  if (actors_.host_waits_for(a)) {
    level_is_awaited_ = true;
    batches_[used_].host_reads = true;
  }
  actors_.advance(a);
  state.submitted.publish(state.next);
}

void DeviceSide::cut() noexcept {
  level_is_awaited_ = false;
  if (used_ < batches_.size() && !batches_[used_].dispatches.empty()) ++used_;
}

void DeviceSide::send() noexcept {
  const std::span<const device::Batch> batches(batches_.data(), used_);
  for (std::size_t i = 0; i < used_; ++i) scheduler_.hold();
  // Known as in flight before the device can complete it.
  const auto first = flights_.front().fired.front();
  flying_.fetch_add(used_);
  flying_ns_.fetch_add(recorded_ns_, std::memory_order_relaxed);
  const auto sent_ns = measure_ ? 0 : sync::steady_ns();
  auto last = queue_->submit(batches, measure_);
  if (last) {
    const std::lock_guard lock(flying_mutex_);
    for (std::size_t i = 0; i < used_; ++i) {
      flights_[i].value = *last - used_ + 1 + i;
      flights_[i].sent_ns = sent_ns;
      sky_.push_back(std::move(flights_[i]));
      if (landed_.empty()) {
        flights_[i] = {};
      } else {
        flights_[i] = std::move(landed_.back());
        landed_.pop_back();
      }
    }
  } else {
    scheduler_.fail(last.failure().kind, first.actor, first.firing, last.failure().message,
                    nullptr);
    flying_.fetch_sub(used_, std::memory_order_acq_rel);
    flying_ns_.fetch_sub(recorded_ns_, std::memory_order_relaxed);
    for (std::size_t i = 0; i < used_; ++i) {
      flights_[i].fired.clear();
      flights_[i].predicted_ns = 0;
    }
  }
  const auto sent = used_;
  for (std::size_t i = 0; i < used_; ++i) {
    batches_[i].dispatches.clear();
    batches_[i].host_reads = false;
  }
  used_ = 0;
  recorded_ = 0;
  recorded_ns_ = 0;
  if (!last) {
    for (std::size_t i = 0; i < sent; ++i) scheduler_.release();
  }
}

std::optional<Started> DeviceSide::oldest() const noexcept {
  const std::lock_guard lock(flying_mutex_);
  if (sky_.empty()) return std::nullopt;
  const auto& flight = sky_.front();
  return Started{flight.value, flight.fired.front().actor, flight.fired.front().firing};
}

bool DeviceSide::wait(unsigned worker, std::chrono::nanoseconds at_most) noexcept {
  if (!in_flight() || waiting_.exchange(true, std::memory_order_acq_rel)) return false;
  std::uint64_t value = 0;
  ActorId actor = 0;
  std::int64_t firing = 0;
  {
    const std::lock_guard lock(flying_mutex_);
    if (sky_.empty()) {  // being submitted just now
      waiting_.store(false, std::memory_order_release);
      return false;
    }
    value = sky_.front().value;
    actor = sky_.front().fired.front().actor;
    firing = sky_.front().fired.front().firing;
  }
  if (at_most.count() > 0) {
    const auto reached = queue_->wait(value, at_most);
    if (!reached) {
      scheduler_.fail(reached.failure().kind, actor, firing, reached.failure().message, nullptr);
      abandon();
      waiting_.store(false, std::memory_order_release);
      return true;
    }
  }
  const auto completed = queue_->completed();
  if (!completed) {
    scheduler_.fail(completed.failure().kind, actor, firing, completed.failure().message, nullptr);
    abandon();
  } else if (*completed >= value) {
    land(*completed, worker);
  }
  waiting_.store(false, std::memory_order_release);
  return true;
}

// Makes known what has ended, up to the value, and lets go of it.
void DeviceSide::land(std::uint64_t completed, unsigned worker) noexcept {
  {
    const std::lock_guard lock(flying_mutex_);
    while (!sky_.empty() && sky_.front().value <= completed) {
      arriving_.push_back(std::move(sky_.front()));
      sky_.pop_front();
    }
  }
  const auto seen_ns = measure_ ? 0 : sync::steady_ns();
  for (auto& flight : arriving_) {
    if (!measure_) {
      const auto share = (seen_ns - std::max(flight.sent_ns, landed_ns_)) /
                         static_cast<std::int64_t>(flight.fired.size());
      for (const auto& fired : flight.fired) {
        recent_ns_[fired.actor].store(share, std::memory_order_relaxed);
      }
    }
    auto spans = queue_->collect(flight.value);
    if (!spans) {
      const auto& first = flight.fired.front();
      scheduler_.fail(spans.failure().kind, first.actor, first.firing, spans.failure().message,
                      nullptr);
    }
    for (std::size_t i = 0; i < flight.fired.size(); ++i) {
      const auto [a, n] = flight.fired[i];
      if (spans && i < (*spans).size()) {
        const auto& span = (*spans)[i];
        actors_[a].busy_ns += span.end_ns - span.begin_ns;
        recent_ns_[a].store(span.end_ns - span.begin_ns, std::memory_order_relaxed);
        if (recorder_ != nullptr) recorder_->add(worker, {a, n, span.begin_ns, span.end_ns});
      }
      actors_[a].ended.publish(n + 1);
      if (measure_) actors_.note_levels(a);
    }
  }
  landed_ns_ = seen_ns;
  for (const auto& flight : arriving_)
    flying_ns_.fetch_sub(flight.predicted_ns, std::memory_order_relaxed);
  flying_.fetch_sub(arriving_.size(), std::memory_order_acq_rel);
  for (const auto& flight : arriving_) {
    for (const auto& fired : flight.fired) {
      for (const auto b : actors_.neighbours(fired.actor)) {
        if (!actors_.on_gpu(b)) scheduler_.ask(b, worker);
      }
    }
  }
  const auto count = arriving_.size();
  {
    const std::lock_guard lock(flying_mutex_);
    for (auto& flight : arriving_) {
      flight.fired.clear();
      flight.predicted_ns = 0;
      landed_.push_back(std::move(flight));
    }
  }
  arriving_.clear();
  submit(worker);  // what was held back because enough was in flight
  for (std::size_t i = 0; i < count; ++i) scheduler_.release();
}

// After the device failed: nothing of what is in flight will ever be known complete.
void DeviceSide::abandon() noexcept {
  std::size_t count = 0;
  {
    const std::lock_guard lock(flying_mutex_);
    count = sky_.size();
    sky_.clear();
  }
  flying_.fetch_sub(count, std::memory_order_acq_rel);
  for (std::size_t i = 0; i < count; ++i) scheduler_.release();
}

}  // namespace antiphon::engine
