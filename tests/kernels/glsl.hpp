// Kernels for the tests, from GLSL.
#pragma once

#include "kernels/kernel_interface.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace antiphon::kernels {

inline std::vector<std::uint32_t> spirv_of(const std::string& glsl) {
  auto words = compile(Kernel::from_glsl(glsl, "test.comp"));
  REQUIRE_MESSAGE(words, (words ? "" : words.failure().message));
  return *std::move(words);
}

inline KernelInterface interface_of(
    const std::vector<std::uint32_t>& spirv,
    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& constants = {},
    const std::string& entry = "main") {
  auto read = read_interface(spirv, entry, constants);
  REQUIRE_MESSAGE(read, (read ? "" : read.failure().message));
  return *std::move(read);
}

}  // namespace antiphon::kernels
