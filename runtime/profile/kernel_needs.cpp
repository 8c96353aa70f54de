#include "profile/kernel_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace antiphon::profile {

namespace {

// Numbers of the SPIR-V specification.
constexpr std::uint32_t magic = 0x07230203;
constexpr std::uint32_t newest_version = 0x00010500;  // that Vulkan 1.2 takes
constexpr std::uint32_t op_capability = 17;
constexpr std::uint32_t op_execution_mode_id = 331;
constexpr std::uint32_t mode_local_size_id = 38;
constexpr std::uint32_t group_non_uniform = 61;  // … 68, in the order of the operations below

struct Feature {
  const char* name;
  std::uint32_t capability;     // that needs it
  const char* capability_name;  // null: it changes what a module may do without saying so
};

constexpr Feature features[] = {
    {"shaderInt16", 22, "Int16"},
    {"shaderInt64", 11, "Int64"},
    {"shaderFloat64", 10, "Float64"},
    {"shaderInt8", 39, "Int8"},
    {"shaderFloat16", 9, "Float16"},
    {"storageBuffer16BitAccess", 4433, "StorageBuffer16BitAccess"},
    {"uniformAndStorageBuffer16BitAccess", 4434, "UniformAndStorageBuffer16BitAccess"},
    {"storageBuffer8BitAccess", 4448, "StorageBuffer8BitAccess"},
    {"uniformAndStorageBuffer8BitAccess", 4449, "UniformAndStorageBuffer8BitAccess"},
    {"shaderBufferInt64Atomics", 12, "Int64Atomics"},
    {"shaderSharedInt64Atomics", 0, nullptr},
    {"shaderSubgroupExtendedTypes", 0, nullptr},
    {"scalarBlockLayout", 0, nullptr},
    {"variablePointersStorageBuffer", 4441, "VariablePointersStorageBuffer"},
    {"variablePointers", 4442, "VariablePointers"},
    {"vulkanMemoryModel", 5345, "VulkanMemoryModel"},
    {"vulkanMemoryModelDeviceScope", 5346, "VulkanMemoryModelDeviceScope"},
    {"timelineSemaphore", 0, nullptr},
    {"maintenance4", 0, nullptr},
};

constexpr const char* operations[] = {
    "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"};

// In every compute shader's reach.
constexpr std::uint32_t always[] = {
    0,   // Matrix
    1,   // Shader
    50,  // ImageQuery: glslang declares it generously
};

std::string version(std::uint32_t word) {
  return fmt::format("{}.{}", (word >> 16U) & 0xffU, (word >> 8U) & 0xffU);
}

// Why the device can't have the capability; empty: it has it.
std::string lack_of(std::uint32_t capability, const DeviceProfile& profile) {
  if (std::find(std::begin(always), std::end(always), capability) != std::end(always)) return {};
  for (const auto& feature : features) {
    if (feature.capability_name == nullptr || feature.capability != capability) continue;
    if (profile.has_feature(feature.name)) return {};
    return fmt::format("needs the capability {}, and '{}' lacks the feature {}",
                       feature.capability_name, profile.name, feature.name);
  }
  if (capability >= group_non_uniform && capability < group_non_uniform + std::size(operations)) {
    const std::string operation = operations[capability - group_non_uniform];
    const auto& there = profile.subgroup_operations;
    if (std::find(there.begin(), there.end(), operation) != there.end()) return {};
    return fmt::format("needs the operations '{}' within a subgroup, which '{}' has not", operation,
                       profile.name);
  }
  return fmt::format(
      "needs SPIR-V's capability {}, which '{}' has not, or which is of no use to a kernel on "
      "storage buffers",
      capability, profile.name);
}

}  // namespace

std::vector<std::string> known_features() {
  std::vector<std::string> names;
  for (const auto& feature : features) names.emplace_back(feature.name);
  return names;
}

std::vector<std::string> known_subgroup_operations() {
  return {std::begin(operations), std::end(operations)};
}

Result<std::vector<std::string>> unmet_needs(std::span<const std::uint32_t> spirv,
                                             const DeviceProfile& profile) {
  if (spirv.size() < 5 || spirv[0] != magic)
    return Failure{ErrorKind::misuse, "its kernel is no SPIR-V module"};
  std::vector<std::string> unmet;
  if (spirv[1] > newest_version) {
    unmet.push_back(fmt::format(
        "is SPIR-V {}, and {} is the newest that Vulkan 1.2 takes: compile it for Vulkan 1.2",
        version(spirv[1]), version(newest_version)));
  }
  for (std::size_t at = 5; at < spirv.size();) {
    const std::size_t words = spirv[at] >> 16U;
    const auto op = spirv[at] & 0xffffU;
    if (words == 0 || words > spirv.size() - at) {
      return Failure{ErrorKind::misuse, "an instruction of its kernel ends beyond the module"};
    }
    if (op == op_capability && words >= 2) {
      auto lack = lack_of(spirv[at + 1], profile);
      if (!lack.empty()) unmet.push_back(std::move(lack));
    }
    if (op == op_execution_mode_id && words >= 3 && spirv[at + 2] == mode_local_size_id &&
        !profile.has_feature("maintenance4")) {
      unmet.push_back(
          fmt::format("needs LocalSizeId, and '{}' lacks the feature maintenance4", profile.name));
    }
    at += words;
  }
  return unmet;
}

}  // namespace antiphon::profile

namespace antiphon {

bool DeviceProfile::has_feature(std::string_view feature) const noexcept {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

}  // namespace antiphon
