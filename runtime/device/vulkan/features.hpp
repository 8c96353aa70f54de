// The optional features of a device: one table says where Vulkan has them.
#pragma once

#include <volk.h>

#include <string>
#include <vector>

namespace antiphon::device::vulkan {

// The structures that vkGetPhysicalDeviceFeatures2 fills and vkCreateDevice takes, chained.
// VkBool32s of the chain are what features.cpp's table points at.
struct FeatureChain {
  explicit FeatureChain(bool with_maintenance4);
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core{};
  VkPhysicalDeviceVulkan11Features vulkan11{};
  VkPhysicalDeviceVulkan12Features vulkan12{};
  VkPhysicalDeviceMaintenance4FeaturesKHR maintenance4{};
};

// Sets in `enabled` all of `supported` that kernels can use, and returns their names
// (profile/kernel_needs.hpp says what for).
std::vector<std::string> enable_all(FeatureChain& supported, FeatureChain& enabled);

}  // namespace antiphon::device::vulkan
