// A timeline on the host: how many firings of an actor have ended, as its neighbours see it.
#pragma once

#include <atomic>
#include <cstdint>

namespace antiphon::sync {

// One thread at a time publishes; any thread reads. What the publisher did before publishing a
// value is visible to whoever reads that value or a later one.
class Timeline {
 public:
  std::int64_t value() const noexcept { return value_.load(std::memory_order_acquire); }
  // REQUIRES: value is not below an earlier one.
  void publish(std::int64_t value) noexcept { value_.store(value, std::memory_order_release); }

 private:
  std::atomic<std::int64_t> value_{0};
};

}  // namespace antiphon::sync
