// Every width of number that a kernel may ask a device for.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) readonly buffer X { uint8_t x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { int y[]; };

void main() {
  int64_t sum = 0;
  for (uint i = 0; i < 64; ++i) sum += int64_t(x[i]);
  y[0] = int(sum);
  const int16_t small = int16_t(x[1]) + int16_t(x[2]);
  y[1] = int(small);
  const float16_t half_width = float16_t(x[2]) * float16_t(3);
  y[2] = int(half_width);
  const double wide = double(x[4]) * 3.0;
  y[3] = int(wide);
}
