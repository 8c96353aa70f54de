// What a frame is between the actors, and what holds for all frames of a clip.
#pragma once

extern "C" {
#include <libavutil/mathematics.h>
#include <libavutil/pixfmt.h>
#include <libavutil/rational.h>
}

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace video {

// A clip that cannot be used; what() names the file and says why.
class BadClip : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A frame as one message: planar YUV 4:2:0, 8 bits a sample, four samples to a word. A luma row is
// padded to a multiple of 8 samples, so that a chroma row is whole words, too.
struct FrameLayout {
  std::uint32_t width = 0;   // of the picture, samples; even
  std::uint32_t height = 0;  // even

  std::uint32_t row() const { return (width + 7) / 8 * 8; }  // samples
  std::size_t luma_bytes() const { return std::size_t{row()} * height; }
  std::size_t bytes() const { return luma_bytes() / 2 * 3; }
  std::size_t words() const { return bytes() / sizeof(std::uint32_t); }

  friend bool operator==(const FrameLayout&, const FrameLayout&) = default;
};

inline constexpr std::size_t plane_count = 3;  // Y, U, V

template <typename Byte>
struct Plane {
  std::span<Byte> samples;  // row by row, padding included
  std::size_t row = 0;      // samples from one row to the next
  std::size_t width = 0;    // of the picture, samples
  std::size_t height = 0;
};

// One plane of a frame; Byte is std::uint8_t or const std::uint8_t.
template <typename Byte>
Plane<Byte> plane_of(const FrameLayout& layout, Byte* frame, std::size_t plane) {
  const std::size_t luma = layout.luma_bytes();
  if (plane == 0) return {{frame, luma}, layout.row(), layout.width, layout.height};
  return {{frame + luma + (plane - 1) * (luma / 4), luma / 4},
          layout.row() / 2,
          layout.width / 2,
          layout.height / 2};
}

inline std::uint8_t* bytes_of(std::span<std::uint32_t> words) {
  return reinterpret_cast<std::uint8_t*>(words.data());
}
inline const std::uint8_t* bytes_of(std::span<const std::uint32_t> words) {
  return reinterpret_cast<const std::uint8_t*>(words.data());
}

// What a filtered clip takes over from the one it was made of.
struct ClipFormat {
  FrameLayout layout;
  AVRational time_base{1, 25};   // of frame times, seconds
  AVRational frame_rate{25, 1};  // frames a second, on average
  AVRational pixel_aspect{1, 1};
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorSpace space = AVCOL_SPC_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  // How a player is to turn the picture (libavutil/display.h), where the clip says so.
  std::optional<std::array<std::int32_t, 9>> display_matrix;
  std::int64_t frames = 0;  // as the file says; 0: it doesn't

  // In time_base.
  std::int64_t frame_duration() const { return av_rescale_q(1, av_inv_q(frame_rate), time_base); }
};

}  // namespace video
