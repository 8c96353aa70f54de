// The optional features of a device: one table says which there are, and what a kernel needs them
// for.
#pragma once

#include "base/result.hpp"

#include <volk.h>

#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>

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

// What kernels of an open device may use.
class KernelFeatures {
 public:
  // Fills `enabled` with all of `supported` that kernels can use.
  static KernelFeatures choose(FeatureChain& supported,
                               const VkPhysicalDeviceSubgroupProperties& subgroups,
                               FeatureChain& enabled);

  // Whether this device may be given the module: undeclared needs are undefined behaviour in a
  // driver. Fails with unsupported, naming what is missing. The module may be any words.
  Status check(std::span<const std::uint32_t> spirv, const std::string& kernel,
               const std::string& device) const;

 private:
  std::unordered_set<std::uint32_t> capabilities_;  // SPIR-V's numbers
  bool local_size_id_ = false;
};

}  // namespace antiphon::device::vulkan
