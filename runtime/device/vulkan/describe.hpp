// What a physical device says of itself.
#pragma once

#include "device/vulkan/instance.hpp"

#include <antiphon/device_profile.hpp>

#include <string>
#include <vector>

namespace antiphon::device::vulkan {

std::vector<VkQueueFamilyProperties> families_of(const InstanceTable& table,
                                                 VkPhysicalDevice physical);
std::vector<std::string> extensions_of(const InstanceTable& table, VkPhysicalDevice physical);

// Without opening it. Of a device older than Vulkan 1.2 only its name, version and queues.
DeviceProfile describe(const InstanceTable& table, VkPhysicalDevice physical);

}  // namespace antiphon::device::vulkan
