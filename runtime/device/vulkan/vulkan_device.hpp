// A Vulkan device.
//
//   auto device = vulkan::open({.device = "llvmpipe"});   // a part of its name; empty: the best
//   there is
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"

#include <antiphon/device_profile.hpp>

#include <memory>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

struct OpenOptions {
  // A part of its name, upper or lower case; empty: a discrete one before an integrated one before
  // a virtual one before a software one.
  std::string device = {};
  // Loads the Khronos validation layer with its synchronization checks: see validation_messages().
  bool validation = false;
};

// Vulkan 1.2 with timeline semaphores is enough. Fails with no_device (no loader, no driver, none
// of that name) or unsupported (a device lacks what is needed; the layer is not installed); the
// message says the way out. Each device has a Vulkan instance of its own. Any thread.
Result<std::shared_ptr<device::Device>> open(const OpenOptions& options);

// The devices here, also those that can't be used. Fails with no_device without a loader. Any
// thread.
Result<std::vector<DeviceProfile>> list();

}  // namespace antiphon::device::vulkan
