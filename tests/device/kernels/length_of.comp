// How many words its window has.
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) readonly buffer X { int x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { int y[]; };

void main() { y[0] = x.length(); }
