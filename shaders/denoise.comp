// Removes noise and keeps edges: a bilateral filter (Tomasi and Manduchi, 1998) on each plane. A neighbour
// counts by its distance (a tent) and by how much it differs from the middle (1 - (d/strength)^2, and not at
// all from `strength` on: the edge-stopping function of Epanechnikov's kernel, as in mean shift).
//
// In whole numbers throughout, so that every device gives the same bits. The sums fit in 32 bits while
// radius <= 4 and strength <= 128: 128^2 * 625 * 255 < 2^32.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "yuv420.glsl"

layout(constant_id = 2) const int radius = 2;     // samples, 1 to 4
layout(constant_id = 3) const int strength = 24;  // levels of 256, 1 to 128

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Noisy { uint noisy[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Clean { uint clean[]; };

void main() {
  const uint word = gl_GlobalInvocationID.x;
  if (word >= frame_words) return;
  const Spot spot = spot_of(word);
  const ivec4 centre = unpack(noisy[word]);

  uvec4 sum = uvec4(0);
  uvec4 total = uvec4(0);
  [[unroll]] for (int dy = -radius; dy <= radius; ++dy) {
    const uint row = row_at(spot, dy);
    SAMPLES_AROUND(samples, noisy, row, spot);
    [[unroll]] for (int dx = -radius; dx <= radius; ++dx) {
      const ivec4 there = ivec4(samples[4 + dx], samples[5 + dx], samples[6 + dx], samples[7 + dx]);
      const ivec4 difference = there - centre;
      const int nearness = (radius + 1 - abs(dx)) * (radius + 1 - abs(dy));
      const uvec4 weight =
          uvec4(max(strength * strength - difference * difference, 0) * nearness);
      sum += weight * uvec4(there);
      total += weight;
    }
  }
  clean[word] = pack(ivec4((sum + total / 2) / total));
}
