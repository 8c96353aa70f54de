// The words of a SPIR-V module, and what they say once constants are given: SPIRV-Cross knows the
// module as it was compiled, not as it will be specialised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace antiphon::kernels {

// What is wrong with the form that every module has; empty: nothing. The words may be any.
std::string fault_of_form(std::span<const std::uint32_t> spirv);

struct ComputeEntry {
  std::uint32_t id = 0;
  std::string name;
};

// Numbers of a module with constants applied: they are (SpecId, bits).
//
// REQUIRES: the module is valid.
class SpecialisedModule {
 public:
  SpecialisedModule(std::span<const std::uint32_t> spirv,
                    std::span<const std::pair<std::uint32_t, std::uint32_t>> constants);

  const std::vector<ComputeEntry>& entries() const noexcept { return entries_; }
  // Nothing where it is computed from constants in a way that is not followed here.
  std::optional<std::array<std::uint32_t, 3>> workgroup(const ComputeEntry& entry) const;
  // Bytes of all variables that a workgroup shares, laid out one after another by the rules of
  // std430. Nothing: as above.
  std::optional<std::uint64_t> shared_memory() const;
  // Whether something is stored to the variable, or to a part of it. What functions do to pointers
  // that they are handed is not followed: for storage buffers GLSL has no such thing.
  bool writes(std::uint32_t variable) const { return written_.count(variable) != 0; }
  bool has_constant(std::uint32_t spec_id) const;

 private:
  struct Layout {
    std::optional<std::uint64_t> bytes;
    std::uint64_t alignment = 1;
  };

  void read(std::uint32_t op, std::span<const std::uint32_t> words);
  void read_type(std::uint32_t op, std::span<const std::uint32_t> words);
  void read_constant(std::uint32_t op, std::span<const std::uint32_t> words);
  void read_access(std::uint32_t op, std::span<const std::uint32_t> words);
  std::optional<std::uint32_t> evaluate(std::uint32_t op,
                                        std::span<const std::uint32_t> operands) const;
  std::optional<std::uint32_t> value(std::uint32_t id) const;
  Layout layout(std::uint32_t type) const;

  std::unordered_map<std::uint32_t, std::uint32_t> given_;     // SpecId -> bits
  std::unordered_map<std::uint32_t, std::uint32_t> spec_ids_;  // id -> SpecId
  std::unordered_map<std::uint32_t, std::uint32_t> values_;    // id -> bits of a 32-bit constant
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> composites_;  // id -> constituents
  std::unordered_map<std::uint32_t, Layout> layouts_;                         // of types
  std::unordered_map<std::uint32_t, std::uint32_t> pointees_;  // pointer type -> type
  std::vector<ComputeEntry> entries_;
  std::unordered_map<std::uint32_t, std::array<std::uint32_t, 3>> local_sizes_;  // entry -> numbers
  std::unordered_map<std::uint32_t, std::array<std::uint32_t, 3>> local_size_ids_;  // entry -> ids
  std::optional<std::uint32_t>
      workgroup_size_;                 // the constant that stands for it, before all modes
  std::vector<std::uint32_t> shared_;  // pointer types of the variables
  std::unordered_map<std::uint32_t, std::uint32_t> variable_of_;  // pointer -> what it points into
  std::unordered_set<std::uint32_t> written_;                     // variables
};

}  // namespace antiphon::kernels
