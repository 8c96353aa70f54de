// The interface of a kernel from SPIR-V, which may be any bytes.
#include "fuzz/fuzz.hpp"
#include "kernels/kernel_interface.hpp"

#include <cstring>
#include <vector>

using namespace antiphon;
using namespace antiphon::kernels;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (words.empty()) return 0;
  std::memcpy(words.data(), bytes, words.size() * sizeof(std::uint32_t));
  const auto kernel = Kernel(words).constant(3, 7);
  const auto compiled = compile(kernel);
  fuzz::require(compiled && *compiled == words, "SPIR-V is not taken as it is");
  const auto read = read_interface(*compiled, kernel.entry(), kernel.constants());
  if (!read) {
    fuzz::require(!read.failure().message.empty(), "a failure without a reason");
    return 0;
  }
  ++fuzz::understood;
  const auto& found = *read;
  for (const auto along : found.workgroup) fuzz::require(along > 0, "an empty workgroup");
  for (const auto& binding : found.bindings) {
    fuzz::require(!binding.name.empty(), "a buffer without a name");
  }
  return 0;
}
