#include "device/vulkan/core.hpp"

#include "device/vulkan/result.hpp"
#include "trace/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::device::vulkan {

// How a device is found and made is in open.cpp, how its clock is read in clock_reading.cpp.

Core::~Core() {
  if (device == VK_NULL_HANDLE) return;
  pipeline_cache = {};
  if (allocator != VK_NULL_HANDLE) vmaDestroyAllocator(allocator);
  table.vkDestroyDevice(device, nullptr);
}

Failure Core::failed(VkResult result, const std::string& what) {
  if (result != VK_ERROR_DEVICE_LOST) {
    if (lost()) return loss();
    return failure(result, what);
  }
  const std::lock_guard lock(loss_mutex_);
  if (!lost()) {
    loss_ = failure(
        result,
        fmt::format("device '{}' is lost: {}; a driver gives a device up when a kernel runs "
                    "for seconds or reaches beyond its buffers",
                    profile.name, what));
    lost_.store(true, std::memory_order_release);
    trace::log(LogLevel::error, loss_.message);
  }
  return loss_;
}

Failure Core::loss() const {
  const std::lock_guard lock(loss_mutex_);
  return loss_;
}

void Core::set_raw_name(VkObjectType type, std::uint64_t handle,
                        const std::string& name) const noexcept {
  if (instance->table().vkSetDebugUtilsObjectNameEXT == nullptr) return;
  VkDebugUtilsObjectNameInfoEXT info{};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
  info.objectType = type;
  info.objectHandle = handle;
  info.pObjectName = name.c_str();
  instance->table().vkSetDebugUtilsObjectNameEXT(device, &info);
}

}  // namespace antiphon::device::vulkan
