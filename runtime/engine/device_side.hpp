// The GPU actors of one run: which firings are submitted, in which batches, with which barriers,
// and what is known of them when a batch is complete.
//
// Submitting and waiting are roles. Whoever made a GPU actor's input submits; whoever has nothing
// else to do waits. Each role has one holder at a time and nobody queues for it.
#pragma once

#include "device/device.hpp"
#include "engine/actors.hpp"
#include "engine/scheduler.hpp"
#include "engine/storage.hpp"
#include "engine/watchdog.hpp"
#include "plan/placed.hpp"
#include "sync/activity.hpp"
#include "trace/recorder.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace antiphon::engine {

class DeviceSide {
 public:
  DeviceSide(const plan::Placed& placed, Actors& actors, const Storage& storage,
             std::unique_ptr<device::Queue> queue, Scheduler& scheduler, trace::Recorder* recorder,
             bool measure);

  // A GPU actor may have become ready; a submit must follow. Any thread.
  void ask(ActorId a) noexcept;
  // Submits all that is ready, unless somebody is doing so, who then looks again. Any thread.
  void submit(unsigned worker) noexcept;
  // Takes the waiting role, if it is free and something is in flight: sleeps for up to `at_most`
  // for the oldest batch and makes known what is complete. False: there was nothing to take.
  bool wait(unsigned worker, std::chrono::nanoseconds at_most) noexcept;

  // The first firing of the oldest batch in flight. Any thread.
  std::optional<Started> oldest() const noexcept;

  // Sequentially consistent, as a worker's falling asleep is: who makes something fly and sees
  // nobody asleep is seen by whoever falls asleep next.
  bool in_flight() const noexcept { return flying_.load() > 0; }
  // Something is in flight and nobody waits for it.
  bool unattended() const noexcept {
    return in_flight() && !waiting_.load(std::memory_order_relaxed);
  }

 private:
  struct Fired {
    ActorId actor = 0;
    std::int64_t firing = 0;
  };
  // A batch that was submitted, until it is known complete.
  struct Flight {
    std::uint64_t value = 0;
    std::int64_t sent_ns = 0;  // where nothing is measured
    std::int64_t predicted_ns = 0;
    std::vector<Fired> fired;
  };
  // How many firings of an actor had been recorded when the present barrier was.
  struct Mark {
    std::uint64_t execution = 0;
    std::int64_t before_execution = 0;
    std::uint64_t memory = 0;
    std::int64_t before_memory = 0;
  };

  bool enough_in_flight() const noexcept;
  void lay_out(unsigned worker) noexcept;
  void look_at(ActorId a, unsigned worker) noexcept;
  device::Barrier barrier_before(ActorId a) const noexcept;
  void record(ActorId a);
  void begin_level() noexcept;
  void cut() noexcept;
  void consider(ActorId a) noexcept;
  void send() noexcept;
  void land(std::uint64_t completed, unsigned worker) noexcept;
  void abandon() noexcept;

  const plan::Placed& placed_;
  Actors& actors_;
  const Storage& storage_;
  const std::unique_ptr<device::Queue> queue_;
  Scheduler& scheduler_;
  trace::Recorder* const recorder_;
  const bool measure_;

  std::mutex inbox_mutex_;
  std::vector<ActorId> inbox_;  // guarded by inbox_mutex_

  // Of the submit role:
  sync::Activity submitting_;
  std::vector<ActorId> arrived_;
  std::vector<ActorId> level_;     // looked at in this level; grows while it is walked
  std::vector<ActorId> deferred_;  // ready behind the next barrier
  std::vector<ActorId> held_;      // ready, but enough is in flight
  std::vector<Mark> marks_;
  std::uint64_t execution_ = 1;  // counts barriers of either kind
  std::uint64_t memory_ = 1;     // counts memory barriers
  device::Barrier deferred_barrier_ = device::Barrier::none;
  device::Barrier pending_barrier_ = device::Barrier::none;  // stands before the next dispatch
  bool level_is_awaited_ = false;
  std::size_t recorded_ = 0;
  std::int64_t recorded_ns_ = 0;        // predicted for what was recorded and not sent
  std::vector<device::Batch> batches_;  // the first used_ of them; the rest is kept for its memory
  std::vector<Flight> flights_;
  std::size_t used_ = 0;

  mutable std::mutex flying_mutex_;
  std::deque<Flight> sky_;      // guarded by flying_mutex_: in flight, oldest first
  std::vector<Flight> landed_;  // guarded by flying_mutex_: kept for their memory
  std::atomic<std::size_t> flying_{0};
  std::atomic<std::int64_t> flying_ns_{0};  // predicted for what is in flight
  std::unique_ptr<std::atomic<std::int64_t>[]>
      recent_ns_;  // of each actor's last firing; unless measured, its share of the time between
                   // the landings of batches
  std::int64_t landed_ns_ = 0;  // of the waiting role: when a batch was last seen complete

  std::atomic<bool> waiting_{false};
  // Of the waiting role:
  std::vector<Flight> arriving_;
};

}  // namespace antiphon::engine
