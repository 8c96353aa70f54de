#version 450
// One addition: what is measured is the way there and back.
layout(local_size_x = 1) in;
layout(std430, binding = 0) readonly buffer In { int x; };
layout(std430, binding = 1) writeonly buffer Out { int y; };
void main() { y = x + 1; }
