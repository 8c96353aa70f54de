// Whether a device can be used at all, and for how much at once.
#pragma once

#include <antiphon/device_profile.hpp>

#include <cstdint>
#include <string>

namespace antiphon::profile {

// What antiphon needs and the device has not: "has Vulkan 1.1, needs 1.2"; empty: nothing.
std::string lack(const DeviceProfile& profile);

// Bytes of the largest buffer that the device can have.
std::uint64_t largest_buffer(const DeviceProfile& profile);

}  // namespace antiphon::profile
