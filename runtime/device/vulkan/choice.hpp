// Which of the devices here is opened.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace antiphon::device::vulkan {

// In the order in which they are preferred.
enum class DeviceKind { discrete, integrated, virtual_, software, other };

struct Candidate {
  std::string name;
  DeviceKind kind = DeviceKind::other;
  std::uint32_t major = 1, minor = 0;  // of the Vulkan version
  bool compute_queue = false;
  bool timeline_semaphore = false;
};

// Its index. `wanted` is a part of a name, upper or lower case; empty: the first of the best kind.
Result<std::size_t> choose(std::span<const Candidate> candidates, const std::string& wanted);

}  // namespace antiphon::device::vulkan
