#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) readonly buffer B { int b[]; };
layout(std430, binding = 2) writeonly buffer Sum { int sum[]; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < sum.length()) sum[i] = a[i] + b[i];
}
