// Reads the frames of a clip with libav.
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace video {

struct DecoderOptions {
  std::uint32_t width = 0;  // scales the picture to this width, keeping its shape; 0: as it is
  int threads = 1;
};

// Move-only; one thread at a time.
class Decoder {
 public:
  // Opens the clip's first video stream. Throws BadClip: no such file, no clip, no video in it.
  Decoder(const std::filesystem::path& file, const DecoderOptions& options);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  const ClipFormat& format() const noexcept;

  // The next frame and its time, which starts at 0 and always grows. False after the last one. Of a
  // clip that is cut off, all frames that are there come first; then this throws BadClip with the
  // place.
  bool read(std::span<std::uint32_t> frame, std::int64_t& time);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace video
