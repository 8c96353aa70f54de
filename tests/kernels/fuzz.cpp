// Damaged modules: whatever the words are, reading them ends in an interface or in a failure that
// says why.
#include "kernels/glsl.hpp"

#include <algorithm>
#include <random>

using namespace antiphon;
using namespace antiphon::kernels;

namespace {

const std::vector<std::uint32_t>& module() {
  static const auto words = spirv_of(R"(#version 450
    layout(local_size_x_id = 3, local_size_y = 2) in;
    layout(constant_id = 5) const uint tile = 16;
    shared float part[2 * tile];
    struct Cell { vec3 position; mat3 turn; int kind[4]; };
    layout(std430, set = 0, binding = 0) readonly buffer In { float x[]; };
    layout(std430, set = 0, binding = 1) buffer Cells { uint count; Cell cells[]; };
    layout(push_constant) uniform Push { vec4 a; float b; } push;
    void main() {
      const uint i = gl_GlobalInvocationID.x;
      part[gl_LocalInvocationID.x % tile] = x[i] * push.b;
      barrier();
      for (uint k = 0; k < tile; ++k) cells[i].position += vec3(part[k]);
      atomicAdd(count, 1);
    })");
  return words;
}

void try_to_read(const std::vector<std::uint32_t>& words) {
  const auto read = read_interface(words, "main", {{3, 7}});
  if (!read && read.failure().message.empty()) FAIL("a failure without a reason");
}

}  // namespace

TEST_CASE("a module that is cut off anywhere is refused") {
  for (std::size_t length = 0; length < module().size(); ++length) {
    const std::vector<std::uint32_t> cut(module().begin(),
                                         module().begin() + static_cast<std::ptrdiff_t>(length));
    const auto read = read_interface(cut, "main", {});
    // Behind the last function's end nothing is missed.
    if (read) FAIL("a module cut after " << length << " words was read");
  }
}

TEST_CASE("changed words never do harm") {
  std::mt19937 random(20240229);
  const auto pick = [&](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  for (int round = 0; round < 4000; ++round) {
    auto words = module();
    for (auto changes = 1 + pick(3); changes > 0; --changes) {
      const auto at = pick(words.size());
      switch (pick(5)) {
        case 0:
          words[at] = static_cast<std::uint32_t>(random());
          break;
        case 1:
          words[at] ^= 1U << pick(32);
          break;
        case 2:
          words[at] = words[pick(words.size())];
          break;
        case 3:
          words[at] = static_cast<std::uint32_t>(pick(300));
          break;
        default:
          words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
          break;
      }
    }
    try_to_read(words);
  }
}

TEST_CASE("random words never do harm") {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::uint32_t> words{0x07230203, 0x00010000U + (pick(7) << 8), 0, 1 + pick(500), 0};
    for (auto count = pick(60); count > 0; --count) {
      words.push_back((1 + pick(8)) << 16 | pick(400));
      for (auto more = (words.back() >> 16) - 1; more > 0; --more) words.push_back(pick(500));
    }
    try_to_read(words);
  }
}
