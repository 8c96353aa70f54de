// How long a wait looks at a counter before it sleeps.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace antiphon::device::vulkan {

// Small kernels on a device with a core or a chip of its own end while one looks, and to be put to
// sleep and woken costs more than they do. Where kernels are long, looking only burns a core: so a
// look that was in vain is tried half as long the next time, down to not at all, and at full length
// again once in so many waits. Any thread.
class Poll {
 public:
  static constexpr std::chrono::nanoseconds longest{20'000};
  static constexpr std::chrono::nanoseconds shortest{1'000};
  static constexpr std::uint32_t waits_between_tries = 256;

  // For the next wait; 0: it had better sleep at once.
  std::chrono::nanoseconds next() noexcept {
    const std::chrono::nanoseconds time(time_ns_.load(std::memory_order_relaxed));
    if (time.count() > 0) return time;
    const auto waits = waits_.fetch_add(1, std::memory_order_relaxed);
    return waits % waits_between_tries == waits_between_tries - 1 ? longest : time;
  }
  void was_worth_it() noexcept { time_ns_.store(longest.count(), std::memory_order_relaxed); }
  void was_in_vain(std::chrono::nanoseconds time) noexcept {
    const auto shorter = time / 2;
    time_ns_.store(shorter < shortest ? 0 : shorter.count(), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> time_ns_{longest.count()};
  std::atomic<std::uint32_t> waits_{0};
};

}  // namespace antiphon::device::vulkan
