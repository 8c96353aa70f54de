// What a device says of itself, as data and as a file: a graph can be held against a device that is
// in another machine. docs/devices.md has the file's format.
#pragma once

#include <antiphon/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon {

// Unless said otherwise, the numbers are the least that Vulkan 1.2 asks of a device ("Required
// Limits" in its specification).
struct DeviceProfile {
  enum class Kind { discrete, integrated, virtual_gpu, software, other };

  std::string name = {};    // its own
  std::string driver = {};  // name and version
  Kind kind = Kind::other;
  std::string vulkan = "1.2.0";  // the newest version that it speaks

  std::size_t storage_offset_alignment = 256;             // of a window, bytes
  std::size_t max_storage_range = std::size_t{1} << 27U;  // of one window, bytes
  std::size_t max_allocation = std::size_t{1} << 30U;     // of one channel, bytes
  std::uint32_t max_workgroup_invocations = 128;          // in all
  std::array<std::uint32_t, 3> max_workgroup_size{128, 128, 64};
  std::array<std::uint32_t, 3> max_group_count{65535, 65535, 65535};
  std::uint32_t max_shared_memory = 16384;  // of one workgroup, bytes
  std::uint32_t max_bindings = 4;           // storage buffers of one kernel: ports of an actor

  struct Heap {
    std::uint64_t bytes = 0;
    bool device_local = false;
    bool host_visible = false;
  };
  std::vector<Heap> heaps = {};  // empty: not known, and memory is not checked

  struct QueueFamily {
    std::uint32_t queues = 0;
    bool compute = false;
    bool transfer = false;
    bool graphics = false;
    std::uint32_t timestamp_bits = 0;  // 0: it can't tell time
  };
  std::vector<QueueFamily> queue_families = {};  // empty: not known

  // Features of Vulkan that kernels can use, by Vulkan's names ("shaderFloat64").
  std::vector<std::string> features = {};
  std::uint32_t subgroup_size = 1;
  // What kernels can do within a subgroup: basic, vote, arithmetic, ballot, shuffle,
  // shuffle_relative, clustered, quad.
  std::vector<std::string> subgroup_operations = {};

  bool has_feature(std::string_view feature) const noexcept;
};

// Reads a profile as `antiphon devices --json` writes it. Throws Error{unreadable}, which names the
// file and the place, when it holds anything else, or more than one device. Any thread, as for all
// of this header.
DeviceProfile load_device_profile(const std::filesystem::path& file);
// The same from memory; `name` stands for the file in messages.
DeviceProfile parse_device_profile(std::string_view text, const std::string& name);
// As JSON.
std::string write_device_profile(const DeviceProfile& profile);

}  // namespace antiphon
