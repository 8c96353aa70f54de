// Goes on for as long as the host lets it, in each of its workgroups: lavapipe leaves a loop after
// 65,535 turns, so there have to be very many of them.
#version 450
layout(local_size_x = 1) in;
layout(std430, set = 0, binding = 0) readonly coherent volatile buffer X { uint x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { uint y[]; };

void main() {
  uint turns = 0;
  while (x[0] != 1) ++turns;
  y[0] = turns;
}
