// What a Vulkan call says, as a failure.
#pragma once

#include "base/result.hpp"

#include <volk.h>

#include <string_view>

namespace antiphon::device::vulkan {

const char* name(VkResult result) noexcept;

// `what` could not be done: "kernel 'blur': its pipeline could not be made".
Failure failure(VkResult result, std::string_view what);

}  // namespace antiphon::device::vulkan
