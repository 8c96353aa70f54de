#include "profile/usable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace antiphon::profile {

std::string lack(const DeviceProfile& profile) {
  unsigned major = 0;
  unsigned minor = 0;
  const bool known = std::sscanf(profile.vulkan.c_str(), "%u.%u", &major, &minor) == 2;
  if (known && (major == 0 || (major == 1 && minor < 2))) {
    return fmt::format("has Vulkan {}.{}, needs 1.2 (a newer driver may have it)", major, minor);
  }
  const auto& families = profile.queue_families;
  if (!families.empty() &&
      std::none_of(families.begin(), families.end(), [](const auto& f) { return f.compute; })) {
    return "has no queue for compute";
  }
  if (!profile.has_feature("timelineSemaphore")) {
    return "lacks the feature timelineSemaphore (a newer driver may have it)";
  }
  return {};
}

std::uint64_t largest_buffer(const DeviceProfile& profile) {
  std::uint64_t largest = profile.heaps.empty() ? UINT64_MAX : 0;
  for (const auto& heap : profile.heaps) largest = std::max(largest, heap.bytes);
  return std::min<std::uint64_t>(largest, profile.max_allocation);
}

}  // namespace antiphon::profile
