// An open device: its handle, its own function table, its queues and its allocator.
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"
#include "device/vulkan/device_clock.hpp"
#include "device/vulkan/instance.hpp"
#include "device/vulkan/owned.hpp"
#include "device/vulkan/vma.hpp"

#include <antiphon/device_profile.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

// A queue of the device, which any number of timelines may share.
struct DeviceQueue {
  VkQueue handle = VK_NULL_HANDLE;
  std::uint32_t family = 0;
  std::uint32_t timestamp_bits = 0;  // 0: it has no timestamps
  std::mutex mutex;                  // held while `handle` is used
};

// Begin and end of a dispatch, as the device counts; and the same on the host's steady clock.
struct Timestamps {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Everything that a device makes keeps its core alive, and the core its instance. Any thread; the
// members are constant once it is open.
class Core {
 public:
  static Result<std::shared_ptr<Core>> open(std::shared_ptr<Instance> instance,
                                            const std::string& wanted);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // Wraps a handle that was just made, and gives it its name.
  template <typename Object, typename Handle>
  Object own(VkObjectType type, Handle handle, const std::string& name) const {
    set_name(type, handle, name);
    return Object(table, device, handle);
  }
  template <typename Handle>
  void set_name(VkObjectType type, Handle handle, const std::string& name) const noexcept {
    set_raw_name(type, reinterpret_cast<std::uint64_t>(handle), name);
  }

  // A failed call as a failure. Once one has said that the device is lost, that failure stays:
  // every later one is the same.
  Failure failed(VkResult result, const std::string& what);
  bool lost() const noexcept { return lost_.load(std::memory_order_acquire); }
  Failure loss() const;

  // What a device counted, as ns on the host's steady clock.
  void to_steady(std::span<const Timestamps> ticks, std::vector<Span>& spans);

  std::shared_ptr<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable table{};
  DeviceProfile profile;
  std::vector<std::unique_ptr<DeviceQueue>> queues;  // the best one first
  std::vector<std::uint32_t> families;               // of the queues, each once
  VmaAllocator allocator = VK_NULL_HANDLE;
  PipelineCache pipeline_cache;

 private:
  Core() = default;
  Status select(const std::string& wanted);
  Status create_device();
  Status create_allocator(bool memory_budget);
  Status start_clock();
  Result<ClockReading> read_clocks();
  Result<ClockReading> read_clocks_by_submit();
  void set_raw_name(VkObjectType type, std::uint64_t handle,
                    const std::string& name) const noexcept;

  bool calibrated_timestamps_ =
      false;  // VK_EXT_calibrated_timestamps is there and knows the steady clock
  double timestamp_period_ns_ = 1;
  DeviceQueue* clock_queue_ = nullptr;  // one that has timestamps; null: there is none

  std::mutex clock_mutex_;
  DeviceClock clock_;                                         // guarded by clock_mutex_
  std::chrono::steady_clock::time_point last_calibration_{};  // guarded by clock_mutex_

  std::atomic<bool> lost_{false};
  mutable std::mutex loss_mutex_;
  Failure loss_;  // guarded by loss_mutex_
};

}  // namespace antiphon::device::vulkan
