// What every fuzz target is: a function that is given bytes, and ends the program when what comes
// of them is wrong. Linked with libFuzzer where clang is (./dev fuzz), with driver.cpp everywhere
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace fuzz {

// Inputs that were no noise: something came out of them. A target whose door refuses everything
// finds nothing; the driver looks here.
inline std::size_t understood = 0;

[[noreturn]] inline void fault(const std::string& what) {
  std::fprintf(stderr, "fault: %s\n", what.c_str());
  std::abort();
}

inline void require(bool holds, const char* what) {
  if (!holds) fault(what);
}

}  // namespace fuzz
