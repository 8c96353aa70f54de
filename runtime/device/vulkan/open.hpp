// The devices of an instance.
#pragma once

#include "base/result.hpp"
#include "device/vulkan/instance.hpp"

#include <antiphon/device_profile.hpp>

#include <vector>

namespace antiphon::device::vulkan {

Result<std::vector<VkPhysicalDevice>> physical_devices(const Instance& instance);
// In the same order.
Result<std::vector<DeviceProfile>> device_profiles(const Instance& instance);

}  // namespace antiphon::device::vulkan
