// A frame as one message: planar YUV 4:2:0, 8 bits a sample, four samples to a word, the first in the low
// byte; all of Y row by row, then U, then V. `width` is a multiple of 8, so that a chroma row is whole words,
// and `height` is even. An invocation makes one word.

layout(constant_id = 0) const uint width = 1280;  // samples in a row of Y
layout(constant_id = 1) const uint height = 720;  // rows of Y

const uint luma_words = width / 4 * height;
const uint frame_words = luma_words + luma_words / 2;

// A word's plane, and its place there.
struct Spot {
  uint plane;  // index of the plane's first word
  uint row_words;
  uint rows;
  uint x;  // words
  uint y;
};

Spot spot_of(uint word) {
  if (word < luma_words) {
    return Spot(0, width / 4, height, word % (width / 4), word / (width / 4));
  }
  const uint row_words = width / 8;
  const uint v_plane = luma_words + luma_words / 4;
  const uint plane = word < v_plane ? luma_words : v_plane;
  return Spot(plane, row_words, height / 2, (word - plane) % row_words, (word - plane) / row_words);
}

// The index of the first word of the row `dy` below the spot's; rows outside repeat the border.
uint row_at(Spot spot, int dy) {
  const uint y = uint(clamp(int(spot.y) + dy, 0, int(spot.rows) - 1));
  return spot.plane + y * spot.row_words;
}

ivec4 unpack(uint word) {
  return ivec4(word & 255u, word >> 8 & 255u, word >> 16 & 255u, word >> 24);
}

uint pack(ivec4 samples) {
  return uint(samples.x) | uint(samples.y) << 8 | uint(samples.z) << 16 | uint(samples.w) << 24;
}

// The samples of a row around a word: four before it, its own four, four after it. Beyond the border its last
// sample repeats.
#define SAMPLES_AROUND(samples, buffer_words, row, spot)                                        \
  const ivec4 middle = unpack(buffer_words[row + spot.x]);                                      \
  const ivec4 left = spot.x > 0 ? unpack(buffer_words[row + spot.x - 1]) : middle.xxxx;         \
  const ivec4 right =                                                                           \
      spot.x + 1 < spot.row_words ? unpack(buffer_words[row + spot.x + 1]) : middle.wwww;       \
  const int samples[12] =                                                                       \
      int[](left.x, left.y, left.z, left.w, middle.x, middle.y, middle.z, middle.w, right.x,    \
            right.y, right.z, right.w)
