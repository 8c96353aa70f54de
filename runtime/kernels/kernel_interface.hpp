// What a compute shader says of itself: its workgroup and its buffers.
#pragma once

#include "base/result.hpp"

#include <antiphon/kernel.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace antiphon::kernels {

struct KernelInterface {
  std::array<std::uint32_t, 3> workgroup{1, 1, 1};  // with the kernel's constants applied
  std::size_t shared_memory = 0;                    // bytes
  struct Binding {
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    std::string name;
    bool storage_buffer = true;
    bool read_only = false;          // says so
    bool written = false;            // something is stored to it
    std::size_t fixed_bytes = 0;     // before a trailing array, or all of it
    std::size_t element_stride = 0;  // of a trailing array, bytes; 0: none
    std::size_t element_bytes = 0;   // of each of its elements, without padding between them
  };
  std::vector<Binding> bindings;   // by set, then binding
  std::size_t push_constants = 0;  // bytes
  // Those of the constants that were given which the kernel does not have.
  std::vector<std::uint32_t> unknown_constants;
};

// Reads SPIR-V, which may be any bytes: what is not a module with this compute entry point is a
// failure that says so.
Result<KernelInterface> read_interface(
    const std::vector<std::uint32_t>& spirv, const std::string& entry,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& constants);

// The kernel's SPIR-V: as given, read from its file, or compiled from its GLSL (Vulkan 1.2,
// optimised). A failure carries the path, or the compiler's message with file and line.
Result<std::vector<std::uint32_t>> compile(const Kernel& kernel);

}  // namespace antiphon::kernels
