// Sharpens by an unsharp mask on the luma plane: adds `amount` sixteenths of what a 5x5 binomial blur takes
// away. Chroma passes as it is: eyes see colour coarsely, and colour fringes well.
//
// In whole numbers throughout, so that every device gives the same bits.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "yuv420.glsl"

layout(constant_id = 2) const int amount = 12;  // sixteenths, 0 to 64

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) readonly buffer Soft { uint soft[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Sharp { uint sharp[]; };

const int binomial[5] = int[](1, 4, 6, 4, 1);  // adds up to 16

void main() {
  const uint word = gl_GlobalInvocationID.x;
  if (word >= frame_words) return;
  if (word >= luma_words) {
    sharp[word] = soft[word];
    return;
  }
  const Spot spot = spot_of(word);
  const ivec4 centre = unpack(soft[word]);

  ivec4 blurred = ivec4(0);  // times 256
  [[unroll]] for (int dy = -2; dy <= 2; ++dy) {
    const uint row = row_at(spot, dy);
    SAMPLES_AROUND(samples, soft, row, spot);
    ivec4 across = ivec4(0);
    [[unroll]] for (int dx = -2; dx <= 2; ++dx) {
      across += binomial[dx + 2] *
                ivec4(samples[4 + dx], samples[5 + dx], samples[6 + dx], samples[7 + dx]);
    }
    blurred += binomial[dy + 2] * across;
  }
  // The shift rounds half up, below zero too.
  const ivec4 detail = amount * (256 * centre - blurred);
  sharp[word] = pack(clamp(centre + ((detail + 2048) >> 12), 0, 255));
}
