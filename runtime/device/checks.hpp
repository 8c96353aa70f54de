// What every device refuses alike, before it does anything.
#pragma once

#include "device/device.hpp"

#include <antiphon/device_profile.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace antiphon::device {

Status check_kernel(const DeviceProfile& profile, const KernelSpec& spec);

// The windows of a kernel with so many bindings; `name` is the actor's.
Status check_windows(const DeviceProfile& profile, std::uint32_t bindings,
                     std::span<const Window> windows, const std::string& name);

// `name` is the queue's.
Status check_dispatch(const DeviceProfile& profile, const Dispatch& dispatch,
                      const std::string& name);

}  // namespace antiphon::device
