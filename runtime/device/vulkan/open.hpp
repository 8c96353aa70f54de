// The devices of an instance.
#pragma once

#include "base/result.hpp"
#include "device/vulkan/instance.hpp"

#include <string>
#include <vector>

namespace antiphon::device::vulkan {

Result<std::vector<VkPhysicalDevice>> physical_devices(const Instance& instance);
Result<std::vector<std::string>> device_names(const Instance& instance);

}  // namespace antiphon::device::vulkan
