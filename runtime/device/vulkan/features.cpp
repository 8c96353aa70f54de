#include "device/vulkan/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace antiphon::device::vulkan {

namespace {

// Numbers of the SPIR-V specification.
constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t newest_version = 0x00010500;  // that Vulkan 1.2 takes
constexpr std::uint32_t op_capability = 17;
constexpr std::uint32_t op_execution_mode_id = 331;
constexpr std::uint32_t mode_local_size_id = 38;
constexpr std::uint32_t group_non_uniform =
    61;  // … 68, one for each VkSubgroupFeatureFlagBits from bit 0

struct Capability {
  std::uint32_t number = 0;
  const char* name = nullptr;
};

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
  Capability capability;  // no name: it changes what a module may do without saying so
};

constexpr Feature features[] = {
    {"shaderInt16", &Core::shaderInt16, {22, "Int16"}},
    {"shaderInt64", &Core::shaderInt64, {11, "Int64"}},
    {"shaderFloat64", &Core::shaderFloat64, {10, "Float64"}},
    {"shaderInt8", &In12::shaderInt8, {39, "Int8"}},
    {"shaderFloat16", &In12::shaderFloat16, {9, "Float16"}},
    {"storageBuffer16BitAccess",
     &In11::storageBuffer16BitAccess,
     {4433, "StorageBuffer16BitAccess"}},
    {"uniformAndStorageBuffer16BitAccess",
     &In11::uniformAndStorageBuffer16BitAccess,
     {4434, "UniformAndStorageBuffer16BitAccess"}},
    {"storageBuffer8BitAccess", &In12::storageBuffer8BitAccess, {4448, "StorageBuffer8BitAccess"}},
    {"uniformAndStorageBuffer8BitAccess",
     &In12::uniformAndStorageBuffer8BitAccess,
     {4449, "UniformAndStorageBuffer8BitAccess"}},
    {"shaderBufferInt64Atomics", &In12::shaderBufferInt64Atomics, {12, "Int64Atomics"}},
    {"shaderSharedInt64Atomics", &In12::shaderSharedInt64Atomics, {}},
    {"shaderSubgroupExtendedTypes", &In12::shaderSubgroupExtendedTypes, {}},
    {"scalarBlockLayout", &In12::scalarBlockLayout, {}},
    {"variablePointersStorageBuffer",
     &In11::variablePointersStorageBuffer,
     {4441, "VariablePointersStorageBuffer"}},
    {"variablePointers", &In11::variablePointers, {4442, "VariablePointers"}},
    {"vulkanMemoryModel", &In12::vulkanMemoryModel, {5345, "VulkanMemoryModel"}},
    {"vulkanMemoryModelDeviceScope",
     &In12::vulkanMemoryModelDeviceScope,
     {5346, "VulkanMemoryModelDeviceScope"}},
    {"timelineSemaphore", &In12::timelineSemaphore, {}},
    {"maintenance4", &Maintenance4::maintenance4, {}},
};

// In every compute shader's reach.
constexpr std::uint32_t always[] = {
    0,   // Matrix
    1,   // Shader
    50,  // ImageQuery: glslang declares it generously
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

KernelFeatures KernelFeatures::choose(FeatureChain& supported,
                                      const VkPhysicalDeviceSubgroupProperties& subgroups,
                                      FeatureChain& enabled) {
  KernelFeatures chosen;
  chosen.capabilities_.insert(std::begin(always), std::end(always));
  for (const auto& feature : features) {
    if (feature.place.in(supported) == VK_FALSE) continue;
    feature.place.in(enabled) = VK_TRUE;
    if (feature.capability.name != nullptr) {
      chosen.capabilities_.insert(feature.capability.number);
    }
  }
  chosen.local_size_id_ = enabled.maintenance4.maintenance4 == VK_TRUE;
  if ((subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0) {
    for (std::uint32_t bit = 0; bit < 8; ++bit) {
      if ((subgroups.supportedOperations & (1U << bit)) != 0)
        chosen.capabilities_.insert(group_non_uniform + bit);
    }
  }
  return chosen;
}

Status KernelFeatures::check(std::span<const std::uint32_t> spirv, const std::string& kernel,
                             const std::string& device) const {
  const auto refuse = [&](ErrorKind kind, const std::string& why) {
    return Failure{kind, fmt::format("actor '{}': {}", kernel, why)};
  };
  if (spirv.size() < 5 || spirv[0] != magic)
    return refuse(ErrorKind::misuse, "its kernel is no SPIR-V module");
  if (spirv[1] > newest_version) {
    return refuse(
        ErrorKind::unsupported,
        fmt::format(
            "its kernel is SPIR-V {}.{}, and 1.5 is the newest that Vulkan 1.2 takes: compile it "
            "for Vulkan 1.2",
            (spirv[1] >> 16) & 0xff, (spirv[1] >> 8) & 0xff));
  }
  for (std::size_t at = 5; at < spirv.size();) {
    const std::size_t words = spirv[at] >> 16;
    const auto op = spirv[at] & 0xffff;
    if (words == 0 || words > spirv.size() - at) {
      return refuse(ErrorKind::misuse, "an instruction of its kernel ends beyond the module");
    }
    if (op == op_capability && words >= 2 && !capabilities_.contains(spirv[at + 1])) {
      const auto number = spirv[at + 1];
      const auto* const known =
          std::find_if(std::begin(features), std::end(features), [&](const Feature& f) {
            return f.capability.name != nullptr && f.capability.number == number;
          });
      return refuse(
          ErrorKind::unsupported,
          known != std::end(features)
              ? fmt::format("its kernel needs the capability {}, and '{}' lacks the feature {}",
                            known->capability.name, device, known->name)
              : fmt::format(
                    "its kernel needs SPIR-V's capability {}, which '{}' has not, or which is of "
                    "no use to a kernel on storage buffers",
                    number, device));
    }
    if (op == op_execution_mode_id && words >= 3 && spirv[at + 2] == mode_local_size_id &&
        !local_size_id_) {
      return refuse(
          ErrorKind::unsupported,
          fmt::format("its kernel needs LocalSizeId, and '{}' lacks the feature maintenance4",
                      device));
    }
    at += words;
  }
  return {};
}

}  // namespace antiphon::device::vulkan
