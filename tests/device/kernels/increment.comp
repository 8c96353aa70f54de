#version 450
layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) buffer X { int x[]; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < x.length()) ++x[i];
}
