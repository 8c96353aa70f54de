// One run of a plan: the actors looked after by workers, until all is done, stopped or failed.
#pragma once

#include "engine/actors.hpp"
#include "engine/cpu_side.hpp"
#include "engine/device_side.hpp"
#include "engine/scheduler.hpp"
#include "engine/storage.hpp"
#include "engine/watchdog.hpp"
#include "executor/timer.hpp"
#include "executor/workers.hpp"
#include "plan/placed.hpp"
#include "trace/recorder.hpp"

#include <antiphon/runtime.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace antiphon::engine {

class Execution final : private executor::Work, private Scheduler {
 public:
  // Throws Error when there is no memory for its rings. `workers` is not used by a sequential run.
  Execution(std::shared_ptr<const plan::Placed> placed, RunOptions options, unsigned workers);
  // Stops it and waits for what is in flight. REQUIRES: it is not abandoned.
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Starts the workers; once.
  void start();
  // Runs it on the calling thread, one firing after another; once, instead of start.
  void run_here();
  // After start or run_here: returns when it is over. Throws RunFailed, or Hung: then something
  // still runs, and the execution is abandoned.
  RunReport wait();
  // Stops it, waits for what is in flight, and destroys it; one that is abandoned is kept for ever,
  // since what does not end may still use all that it has.
  static void retire_whole(std::unique_ptr<Execution> execution) noexcept;

  void request_stop() noexcept { stopping_.store(true, std::memory_order_release); }
  bool over() const noexcept;
  Progress progress() const;

 private:
  struct Worker {
    std::vector<ActorId> ready;  // became ready by what this worker did
    bool device_asked = false;   // GPU actors did
  };
  struct FirstFailure {
    ErrorKind kind = ErrorKind::misuse;
    std::string actor;
    std::int64_t firing = 0;
    std::string message;
    std::exception_ptr cause;
  };

  // executor::Work
  void run(executor::Task actor, unsigned worker) noexcept override;
  bool take_role(unsigned worker) noexcept override;
  bool offers_role() const noexcept override {
    return device_ && device_->unattended() && !abandoned_.load(std::memory_order_acquire);
  }
  // Scheduler
  void hold() noexcept override { holders_.fetch_add(1, std::memory_order_acq_rel); }
  void release() noexcept override;
  bool stopping() const noexcept override { return stopping_.load(std::memory_order_acquire); }
  void ask(ActorId actor, unsigned worker) noexcept override;
  void before_firing(unsigned worker) noexcept override;
  void after_firing(unsigned worker) noexcept override;
  void retire(ActorId actor) noexcept override;
  void fail(ErrorKind kind, ActorId actor, std::int64_t firing, const std::string& message,
            std::exception_ptr cause) noexcept override;

  void begin();
  void end() noexcept;
  void watch() noexcept;
  void abandon(const Started& started) noexcept;
  void hand_out(unsigned worker) noexcept;
  void finish();
  std::vector<ChannelStats> channel_stats() const;
  RunReport report() const;

  const std::shared_ptr<const plan::Placed> placed_;
  const RunOptions options_;
  const unsigned worker_count_;
  Actors actors_;
  std::unique_ptr<Storage> storage_;
  std::optional<trace::Recorder> recorder_;
  std::optional<CpuSide> cpu_;
  std::unique_ptr<DeviceSide> device_;  // null where no actor is on the GPU
  std::vector<Worker> workers_state_;   // one per worker, the last for the calling thread

  std::size_t messages_before_ = 0;  // of the validation layers, when the run began
  // Read before every firing, and written once: far from what is written all the time.
  alignas(64) std::atomic<bool> stopping_{false};
  alignas(64) std::atomic<std::int64_t> holders_{0};
  std::atomic<std::size_t> unfinished_{0};
  // Something does not end: the run is over all the same, and nothing of it is ever destroyed.
  std::atomic<bool> abandoned_{false};
  std::chrono::steady_clock::time_point begun_;
  std::chrono::steady_clock::time_point ended_;  // guarded by mutex_

  mutable std::mutex mutex_;
  std::condition_variable condition_;
  bool over_ = false;                    // guarded by mutex_
  std::optional<FirstFailure> failure_;  // guarded by mutex_

  std::optional<std::stop_callback<std::function<void()>>> stop_callback_;
  std::unique_ptr<executor::Timer> timer_;
  std::optional<Watchdog> watchdog_;  // of watch_timer_
  std::unique_ptr<executor::Timer> watch_timer_;
  std::unique_ptr<executor::Workers> workers_;
};

}  // namespace antiphon::engine
