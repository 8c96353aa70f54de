// So many steps that whoever asked for them has time to look: a linear congruential generator (Knuth, 1981).
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) readonly buffer Steps { uint steps[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { uint y[]; };

void main() {
  uint value = 1;
  for (uint i = 0; i < steps[0]; ++i) value = value * 1664525u + 1013904223u;
  y[0] = value;
}
