// Opens a Vulkan device. Needs Vulkan 1.2 with timeline semaphores and a queue that computes.
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"

#include <memory>
#include <string>

namespace antiphon::device::vulkan {

struct OpenOptions {
  std::string device = {};  // a part of its name; empty: discrete before integrated before the rest
  bool validation = false;  // load the Khronos validation layer and collect what it says
};

// Failures: no_device when there is no loader, no driver or none of that name; unsupported when a device
// lacks a feature. Each says what is there and what to do.
Result<std::shared_ptr<device::Device>> open(const OpenOptions& options);

}  // namespace antiphon::device::vulkan
