// A device's clock in terms of the host's.
#pragma once

#include <cstdint>

namespace antiphon::device::vulkan {

// A moment on both clocks: when the device counted `ticks`, the host's clock stood between two
// values.
struct ClockReading {
  std::uint64_t ticks = 0;
  std::int64_t earliest_ns = 0;
  std::int64_t latest_ns = 0;
};

// Turns timestamps of `bits` valid bits, one each `period_ns`, into ns of the host's steady clock.
// Not synchronised.
class DeviceClock {
 public:
  DeviceClock() = default;
  DeviceClock(double period_ns, std::uint32_t bits);

  void set(const ClockReading& reading) noexcept;
  std::int64_t steady_ns(std::uint64_t ticks) const noexcept;
  // The device reads the host's own clock, as software devices do: nothing drifts.
  bool is_host_clock() const noexcept { return is_host_clock_; }

 private:
  double period_ns_ = 1;
  std::uint64_t mask_ = UINT64_MAX;
  bool is_host_clock_ = false;
  std::uint64_t reference_ticks_ = 0;
  std::int64_t reference_ns_ = 0;
};

}  // namespace antiphon::device::vulkan
