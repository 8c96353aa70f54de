// What a device says of itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace antiphon::profile {

struct Profile {
  std::string device;  // its own name
  std::string driver;
  std::uint32_t api_version = 0;             // as VK_MAKE_API_VERSION packs it
  std::size_t storage_offset_alignment = 1;  // bytes
  std::size_t max_storage_range = SIZE_MAX;  // bytes, of one window
  std::uint32_t max_workgroup_invocations = 128;
  std::array<std::uint32_t, 3> max_workgroup_size{128, 128, 64};
  std::array<std::uint32_t, 3> max_group_count{65535, 65535, 65535};
  std::uint32_t max_shared_memory = 16384;  // bytes
  std::uint32_t max_bindings = 4;           // storage buffers of one kernel
};

}  // namespace antiphon::profile
