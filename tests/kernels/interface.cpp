#include "kernels/glsl.hpp"

#include <algorithm>
#include <array>

using namespace antiphon;
using namespace antiphon::kernels;

namespace {

using Size = std::array<std::uint32_t, 3>;

// A module without buffers, word by word: what GLSL can't say.
class Module {
 public:
  Module& add(std::uint32_t op, std::vector<std::uint32_t> operands) {
    words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | op);
    words_.insert(words_.end(), operands.begin(), operands.end());
    return *this;
  }
  std::vector<std::uint32_t> words() const { return words_; }

 private:
  std::vector<std::uint32_t> words_{0x07230203, 0x00010500, 0, 64, 0};
};

constexpr std::uint32_t main_text = 0x6e69616d;  // "main"

// Up to the first type: Shader, logical GLSL450, entry point 1 "main".
Module preamble() {
  Module module;
  module.add(17, {1}).add(14, {0, 1}).add(15, {5, 1, main_text, 0});
  return module;
}

// void %1() {}, with types 2 (void) and 3 (void()).
void add_main(Module& module) {
  module.add(19, {2}).add(33, {3, 2}).add(54, {2, 1, 0, 3}).add(248, {4}).add(253, {}).add(56, {});
}

bool says(const Failure& failure, const std::string& text) {
  return failure.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("buffers are listed by binding, with what may be done to them") {
  const auto read = interface_of(spirv_of(R"(#version 450
    layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
    layout(std430, set = 0, binding = 2) buffer Both { vec4 state[]; } both;
    layout(std430, set = 0, binding = 0) readonly buffer In { float x[]; } from;
    layout(std430, set = 0, binding = 1) writeonly buffer Out { double count; vec2 y[]; } to;
    void main() {
      const uint i = gl_GlobalInvocationID.x;
      both.state[i] += vec4(from.x[i]);
      to.y[i] = both.state[i].xy;
      to.count = 1;
    })"));
  CHECK(read.workgroup == Size{8, 4, 2});
  REQUIRE(read.bindings.size() == 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    CHECK(read.bindings[i].set == 0);
    CHECK(read.bindings[i].binding == i);
    CHECK(read.bindings[i].storage_buffer);
  }
  CHECK(read.bindings[0].read_only);
  CHECK(read.bindings[0].element_stride == 4);
  CHECK(!read.bindings[1].read_only);
  CHECK(read.bindings[1].element_stride == 8);
  CHECK(!read.bindings[2].read_only);
  CHECK(read.bindings[2].element_stride == 16);
  CHECK(read.push_constants == 0);
  CHECK(read.shared_memory == 0);
}

TEST_CASE("a buffer without a trailing array has no stride") {
  const auto read = interface_of(spirv_of(R"(#version 450
    layout(std430, set = 0, binding = 0) readonly buffer Settings { int a; float b; };
    layout(std430, set = 0, binding = 1) buffer Sum { float sum; };
    void main() { sum = float(a) + b; })"));
  REQUIRE(read.bindings.size() == 2);
  CHECK(read.bindings[0].element_stride == 0);
  CHECK(read.workgroup == Size{1, 1, 1});
}

TEST_CASE("a buffer is named by its variable, or its block, or its binding") {
  const auto spirv = spirv_of(R"(#version 450
    layout(std430, set = 0, binding = 4) buffer X { float x[]; };
    void main() { x[0] = 1; })");
  CHECK(interface_of(spirv).bindings[0].name == "binding 4");
  // Names stand before the first decoration; optimised modules have lost them.
  const auto named = [&](std::uint32_t decoration) {
    std::uint32_t id = 0;
    std::size_t first = 0;
    for (std::size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
      if ((spirv[at] & 0xffff) != 71) continue;  // OpDecorate
      if (first == 0) first = at;
      if (spirv[at + 2] == decoration) id = spirv[at + 1];
    }
    REQUIRE(id != 0);
    auto words = spirv;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(first),
                 {4U << 16 | 5, id, main_text, 0});
    return interface_of(words).bindings[0].name;
  };
  CHECK(named(33) == "main");  // Binding: the variable
  CHECK(named(2) == "main");   // Block: its type
}

TEST_CASE("what is no storage buffer is told apart, in any set") {
  const auto read = interface_of(spirv_of(R"(#version 450
    layout(set = 1, binding = 3) uniform Settings { float gain; };
    layout(set = 0, binding = 5, r32f) uniform image2D picture;
    layout(std430, set = 0, binding = 6) buffer Parts { float x; } parts[2];
    layout(push_constant) uniform Push { vec4 a; float b; } push;
    void main() {
      imageStore(picture, ivec2(0), vec4(gain + push.b + push.a.x));
      parts[1].x = gain;
    })"));
  REQUIRE(read.bindings.size() == 3);
  CHECK(read.bindings[0].binding == 5);
  CHECK(!read.bindings[0].storage_buffer);
  CHECK(read.bindings[1].binding == 6);
  CHECK(!read.bindings[1].storage_buffer);
  CHECK(read.bindings[2].set == 1);
  CHECK(read.bindings[2].binding == 3);
  CHECK(!read.bindings[2].storage_buffer);
  CHECK(read.push_constants >= 20);
}

TEST_CASE("constants size the workgroup and its shared memory") {
  const auto spirv = spirv_of(R"(#version 450
    layout(local_size_x_id = 3, local_size_y = 2, local_size_z_id = 4) in;
    layout(constant_id = 5) const uint tile = 16;
    shared float part[2 * tile];
    shared vec3 edge[2];
    layout(std430, set = 0, binding = 0) buffer X { float x[]; };
    void main() {
      part[gl_LocalInvocationID.x % tile] = x[0];
      edge[gl_LocalInvocationID.y] = vec3(x[1]);
      barrier();
      x[gl_GlobalInvocationID.x] = part[0] + edge[1].x;
    })");
  const auto plain = interface_of(spirv);
  CHECK(plain.workgroup == Size{1, 2, 1});
  CHECK(plain.shared_memory == 2 * 16 * 4 + 2 * 16);
  const auto given = interface_of(spirv, {{3, 32}, {4, 5}, {5, 100}});
  CHECK(given.workgroup == Size{32, 2, 5});
  CHECK(given.shared_memory == 2 * 100 * 4 + 2 * 16);
}

TEST_CASE("a workgroup given by ids of constants is read, with sums of them") {
  auto module = preamble();
  module.add(331, {1, 38, 20, 22, 23});   // LocalSizeId %20 %22 %23
  module.add(71, {20, 1, 9});             // SpecId 9
  module.add(21, {10, 32, 0});            // uint
  module.add(50, {10, 20, 6});            // %20 = spec constant 6
  module.add(43, {10, 21, 2});            // %21 = 2
  module.add(52, {10, 22, 132, 20, 21});  // %22 = %20 * %21
  module.add(43, {10, 23, 1});
  add_main(module);
  CHECK(interface_of(module.words()).workgroup == Size{6, 12, 1});
  CHECK(interface_of(module.words(), {{9, 8}}).workgroup == Size{8, 16, 1});
}

TEST_CASE("a workgroup that is empty, or computed beyond what is followed, is refused") {
  const auto spirv = spirv_of(R"(#version 450
    layout(local_size_x_id = 0) in;
    layout(std430, set = 0, binding = 0) buffer X { float x[]; };
    void main() { x[gl_GlobalInvocationID.x] = 1; })");
  const auto empty = read_interface(spirv, "main", {{0, 0}});
  REQUIRE(!empty);
  CHECK(says(empty.failure(), "0 x 1 x 1: empty"));

  auto module = preamble();
  module.add(331, {1, 38, 22, 20, 20});
  module.add(71, {20, 1, 0});
  module.add(21, {10, 32, 0});
  module.add(50, {10, 20, 0});
  module.add(52, {10, 22, 134, 20, 20});  // 0 / 0
  add_main(module);
  const auto undefined = read_interface(module.words(), "main", {});
  REQUIRE(!undefined);
  CHECK(undefined.failure().kind == ErrorKind::unsupported);
  CHECK(interface_of(module.words(), {{0, 3}}).workgroup == Size{1, 3, 3});
}

TEST_CASE("an entry point that is not there is named, with those that are") {
  const auto spirv = spirv_of("#version 450\nvoid main() {}");
  const auto read = read_interface(spirv, "blur", {});
  REQUIRE(!read);
  CHECK(read.failure().kind == ErrorKind::invalid_graph);
  CHECK(says(read.failure(), "no compute entry point 'blur'; there is 'main'"));
}

TEST_CASE("words that are no module say why") {
  const auto refused = [](std::vector<std::uint32_t> words, const std::string& why) {
    const auto read = read_interface(words, "main", {});
    REQUIRE(!read);
    CHECK(read.failure().kind == ErrorKind::invalid_graph);
    CHECK_MESSAGE(says(read.failure(), why), read.failure().message);
  };
  constexpr std::uint32_t magic = 0x07230203;
  refused({}, "fewer than the five words");
  refused({magic, 0x00010000, 0, 1}, "fewer than the five words");
  refused({1, 0x00010000, 0, 1, 0}, "does not begin");
  refused({0x03022307, 0, 0, 1, 0}, "order of another machine");
  refused({magic, 0x00020000, 0, 1, 0}, "version");
  refused({magic, 0x00010000, 0, 0, 0}, "bound");
  refused({magic, 0x00010000, 0, 0xffff'ffff, 0}, "bound");
  refused({magic, 0x00010000, 0, 8, 0, 0}, "at word 5 has no words");
  refused({magic, 0x00010000, 0, 8, 0, 9U << 16 | 17, 1}, "cut off in the instruction at word 5");
  refused({magic, 0x00010000, 0, 8, 0}, "");
  auto whole = spirv_of("#version 450\nvoid main() {}");
  whole.resize(whole.size() - 1);
  refused(whole, "");
}
