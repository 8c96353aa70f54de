#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer X { int x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { int y[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < y.length()) y[i] = 2 * x[i];
}
