#include "device/vulkan/features.hpp"

namespace antiphon::device::vulkan {

namespace {

using Core = VkPhysicalDeviceFeatures;
using In11 = VkPhysicalDeviceVulkan11Features;
using In12 = VkPhysicalDeviceVulkan12Features;
using Maintenance4 = VkPhysicalDeviceMaintenance4FeaturesKHR;

// A feature, wherever in the chain it is.
class Place {
 public:
  constexpr Place(VkBool32 Core::*at) : core_(at) {}                  // NOLINT
  constexpr Place(VkBool32 In11::*at) : vulkan11_(at) {}              // NOLINT
  constexpr Place(VkBool32 In12::*at) : vulkan12_(at) {}              // NOLINT
  constexpr Place(VkBool32 Maintenance4::*at) : maintenance4_(at) {}  // NOLINT

  VkBool32& in(FeatureChain& chain) const {
    if (core_ != nullptr) return chain.core.features.*core_;
    if (vulkan11_ != nullptr) return chain.vulkan11.*vulkan11_;
    if (vulkan12_ != nullptr) return chain.vulkan12.*vulkan12_;
    return chain.maintenance4.*maintenance4_;
  }

 private:
  VkBool32 Core::*core_ = nullptr;
  VkBool32 In11::*vulkan11_ = nullptr;
  VkBool32 In12::*vulkan12_ = nullptr;
  VkBool32 Maintenance4::*maintenance4_ = nullptr;
};

struct Feature {
  const char* name;
  Place place;
};

constexpr Feature features[] = {
    {"shaderInt16", &Core::shaderInt16},
    {"shaderInt64", &Core::shaderInt64},
    {"shaderFloat64", &Core::shaderFloat64},
    {"shaderInt8", &In12::shaderInt8},
    {"shaderFloat16", &In12::shaderFloat16},
    {"storageBuffer16BitAccess", &In11::storageBuffer16BitAccess},
    {"uniformAndStorageBuffer16BitAccess", &In11::uniformAndStorageBuffer16BitAccess},
    {"storageBuffer8BitAccess", &In12::storageBuffer8BitAccess},
    {"uniformAndStorageBuffer8BitAccess", &In12::uniformAndStorageBuffer8BitAccess},
    {"shaderBufferInt64Atomics", &In12::shaderBufferInt64Atomics},
    {"shaderSharedInt64Atomics", &In12::shaderSharedInt64Atomics},
    {"shaderSubgroupExtendedTypes", &In12::shaderSubgroupExtendedTypes},
    {"scalarBlockLayout", &In12::scalarBlockLayout},
    {"variablePointersStorageBuffer", &In11::variablePointersStorageBuffer},
    {"variablePointers", &In11::variablePointers},
    {"vulkanMemoryModel", &In12::vulkanMemoryModel},
    {"vulkanMemoryModelDeviceScope", &In12::vulkanMemoryModelDeviceScope},
    {"timelineSemaphore", &In12::timelineSemaphore},
    {"maintenance4", &Maintenance4::maintenance4},
};

}  // namespace

FeatureChain::FeatureChain(bool with_maintenance4) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  core.pNext = &vulkan11;
  vulkan11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  vulkan11.pNext = &vulkan12;
  vulkan12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES_KHR;
  if (with_maintenance4) vulkan12.pNext = &maintenance4;
}

std::vector<std::string> enable_all(FeatureChain& supported, FeatureChain& enabled) {
  std::vector<std::string> names;
  for (const auto& feature : features) {
    if (feature.place.in(supported) == VK_FALSE) continue;
    feature.place.in(enabled) = VK_TRUE;
    names.emplace_back(feature.name);
  }
  return names;
}

}  // namespace antiphon::device::vulkan
