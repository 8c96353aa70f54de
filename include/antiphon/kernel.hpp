// What a GPU actor runs: a compute shader and how it is dispatched.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace antiphon {

// A compute shader. Port i of the actor, in the order in which the actor declares its ports, is the
// storage buffer at set 0, binding i; it holds the messages of one firing from its first byte on.
//
// A value: copy it freely. Each setter returns the kernel, so that they chain.
class Kernel {
 public:
  // SPIR-V, copied. It is compiled, and held against the actor's ports, when a plan is made.
  explicit Kernel(std::span<const std::uint32_t> spirv) : spirv_(spirv.begin(), spirv.end()) {}

  // GLSL, compiled when a plan is made; `name` stands in its compiler's messages.
  static Kernel from_glsl(std::string source, std::string name) {
    Kernel kernel{std::span<const std::uint32_t>{}};
    kernel.glsl_ = std::move(source);
    kernel.source_name_ = std::move(name);
    return kernel;
  }

  // A file, read when a plan is made: SPIR-V when its name ends in .spv, GLSL otherwise.
  static Kernel from_file(std::string path) {
    Kernel kernel{std::span<const std::uint32_t>{}};
    kernel.file_ = std::move(path);
    return kernel;
  }

  // The workgroups of one firing. Unless said, there are enough for one invocation per element of
  // the first output over the window of a firing.
  Kernel& groups(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    groups_ = {x, y, z};
    return *this;
  }
  // The value of a 32-bit specialisation constant, as its bits; again: another value.
  Kernel& constant(std::uint32_t id, std::uint32_t bits) {
    for (auto& given : constants_) {
      if (given.first != id) continue;
      given.second = bits;
      return *this;
    }
    constants_.emplace_back(id, bits);
    return *this;
  }
  Kernel& entry(std::string name) {
    entry_ = std::move(name);
    return *this;
  }

  const std::vector<std::uint32_t>& spirv() const noexcept { return spirv_; }
  const std::string& glsl() const noexcept { return glsl_; }
  const std::string& source_name() const noexcept { return source_name_; }
  const std::string& file() const noexcept { return file_; }
  const std::string& entry() const noexcept { return entry_; }
  const std::optional<std::array<std::uint32_t, 3>>& groups() const noexcept { return groups_; }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& constants() const noexcept {
    return constants_;
  }

 private:
  std::vector<std::uint32_t> spirv_;
  std::string glsl_;
  std::string source_name_;
  std::string file_;
  std::string entry_ = "main";
  std::optional<std::array<std::uint32_t, 3>> groups_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants_;
};

}  // namespace antiphon
