#include "device/vulkan/device_clock.hpp"

namespace antiphon::device::vulkan {

DeviceClock::DeviceClock(double period_ns, std::uint32_t bits)
    : period_ns_(period_ns), mask_(bits >= 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1) {}

void DeviceClock::set(const ClockReading& reading) noexcept {
  const auto as_host = static_cast<std::int64_t>(reading.ticks);
  // Two clocks that count ns and agree on a moment this closely, out of 600 years, are one.
  is_host_clock_ = period_ns_ == 1 && mask_ == UINT64_MAX && as_host >= reading.earliest_ns &&
                   as_host <= reading.latest_ns;
  reference_ticks_ = reading.ticks;
  reference_ns_ = is_host_clock_
                      ? as_host
                      : reading.earliest_ns + (reading.latest_ns - reading.earliest_ns) / 2;
}

std::int64_t DeviceClock::steady_ns(std::uint64_t ticks) const noexcept {
  const auto to_ns = [this](std::uint64_t count) {
    return period_ns_ == 1 ? static_cast<std::int64_t>(count)
                           : static_cast<std::int64_t>(static_cast<double>(count) * period_ns_);
  };
  // The counter wraps: a difference in the upper half of its range lies before the reference.
  const auto after = (ticks - reference_ticks_) & mask_;
  if (after <= mask_ / 2) return reference_ns_ + to_ns(after);
  return reference_ns_ - to_ns((reference_ticks_ - ticks) & mask_);
}

}  // namespace antiphon::device::vulkan
