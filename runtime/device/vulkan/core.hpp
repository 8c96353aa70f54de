// An open device: its handle, its own function table, its allocator, and names for what it makes.
#pragma once

#include "base/result.hpp"
#include "device/vulkan/instance.hpp"
#include "profile/profile.hpp"

#include <volk.h>

#include <vk_mem_alloc.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace antiphon::device::vulkan {

// Everything that a device makes keeps its core alive. Any thread.
class Core {
 public:
  static Result<std::shared_ptr<Core>> open(std::shared_ptr<Instance> instance, const std::string& wanted);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void set_name(VkObjectType type, std::uint64_t handle, const std::string& name) const noexcept;
  template <typename Handle>
  void set_name(VkObjectType type, Handle handle, const std::string& name) const noexcept {
    set_name(type, reinterpret_cast<std::uint64_t>(handle), name);
  }
  // A timestamp of the device as ns on the host's steady clock.
  std::int64_t steady_ns(std::uint64_t timestamp) const noexcept;

  std::shared_ptr<Instance> instance;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VolkDeviceTable table{};
  VmaAllocator allocator = VK_NULL_HANDLE;
  profile::Profile profile;
  std::uint32_t family = 0;
  VkQueue queue = VK_NULL_HANDLE;
  std::mutex queue_mutex;  // held while `queue` is used
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
  std::uint32_t timestamp_bits = 0;  // 0: the queue has no timestamps
  double timestamp_period_ns = 1;

 private:
  Core() = default;
  Status select(const std::string& wanted);
  Status create();
  Status calibrate();

  bool calibrated_ = false;            // VK_EXT_calibrated_timestamps is there
  std::uint64_t reference_ticks_ = 0;  // a timestamp and the steady clock at the same moment
  std::int64_t reference_ns_ = 0;
};

}  // namespace antiphon::device::vulkan
