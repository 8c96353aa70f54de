// What a SPIR-V module asks of a device beyond what each one has.
#pragma once

#include "base/result.hpp"

#include <antiphon/device_profile.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace antiphon::profile {

// The features of Vulkan that are of use to kernels, by their names.
std::vector<std::string> known_features();
// What a kernel can do within a subgroup, one for each bit of VkSubgroupFeatureFlags from bit 0.
std::vector<std::string> known_subgroup_operations();

// Each thing that the module needs and the device lacks: "needs the capability Float64, and
// 'llvmpipe' lacks the feature shaderFloat64". A driver that is given such a module may do
// anything. Fails with misuse where the words, which may be any, are no module.
Result<std::vector<std::string>> unmet_needs(std::span<const std::uint32_t> spirv,
                                             const DeviceProfile& profile);

}  // namespace antiphon::profile
