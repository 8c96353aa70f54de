// Which of the devices here is opened.
#pragma once

#include "base/result.hpp"

#include <antiphon/device_profile.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace antiphon::device::vulkan {

// Its index. `wanted` is a part of a name, upper or lower case; empty: the first of the best kind.
Result<std::size_t> choose(std::span<const DeviceProfile> devices, const std::string& wanted);

}  // namespace antiphon::device::vulkan
