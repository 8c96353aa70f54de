// Who looks at what has been started and does not end.
//
// Nobody who fires reads a clock for it: whoever is inside a firing counts a step when it begins
// and when it ends, and the watchdog keeps when it first saw the present step.
#pragma once

#include "engine/actors.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::engine {

// What one worker is at. Written by that worker.
class Presence {
 public:
  void enter(ActorId actor, std::int64_t firing) noexcept {
    actor_.store(actor, std::memory_order_relaxed);
    firing_.store(firing, std::memory_order_relaxed);
    step_.store(step_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  // Another firing of the same actor, without looking up.
  void go_on(std::int64_t firing) noexcept { firing_.store(firing, std::memory_order_relaxed); }
  void leave() noexcept {
    step_.store(step_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  struct Seen {
    std::uint64_t step = 0;  // odd: inside
    ActorId actor = 0;
    std::int64_t firing = 0;
  };
  // Any thread.
  Seen look() const noexcept {
    const auto step = step_.load(std::memory_order_acquire);
    const Seen seen{step, actor_.load(std::memory_order_acquire),
                    firing_.load(std::memory_order_acquire)};
    return step_.load(std::memory_order_relaxed) == step ? seen : Seen{};
  }

 private:
  alignas(64) std::atomic<std::uint64_t> step_{0};
  std::atomic<ActorId> actor_{0};
  std::atomic<std::int64_t> firing_{0};
};

// A firing that was started and has not ended.
struct Started {
  std::uint64_t step = 0;  // another one: another firing, or a later one
  ActorId actor = 0;
  std::int64_t firing = 0;
};

// One thread at a time.
class Watchdog {
 public:
  using Clock = std::chrono::steady_clock;

  // Looks after so many places in which something can be under way.
  Watchdog(std::size_t places, std::chrono::nanoseconds patience)
      : patience_(patience), places_(places) {}

  // What is under way at this place now, if anything is. True when it has been for too long.
  bool too_long(std::size_t place, const std::optional<Started>& started, Clock::time_point now) {
    auto& known = places_[place];
    if (!started) {
      known.reset();
      return false;
    }
    if (!known || known->step != started->step) known = {started->step, now};
    return now - known->since >= patience_;
  }

 private:
  struct Known {
    std::uint64_t step = 0;
    Clock::time_point since;
  };
  std::chrono::nanoseconds patience_;
  std::vector<std::optional<Known>> places_;
};

}  // namespace antiphon::engine
