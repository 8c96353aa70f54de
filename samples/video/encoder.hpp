// Writes frames as a clip with libav: H.264 where this build of libav has libx264, MPEG-4
// otherwise.
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace video {

// A clip that cannot be written; what() names the file and says why.
class BadOutput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct EncoderOptions {
  std::string preset = "veryfast";  // of libx264: slower ones make smaller files
  int quality = 20;                 // constant rate factor of libx264, 0 (lossless) to 51
  int threads = 1;
};

// The clip lies under a hidden name beside `file` until keep() gives it its own, so that nobody
// finds half of it. Every frame is encoded within its write(): nothing is left for later, and each
// costs about the same.
//
// Move-only; one thread at a time.
class Encoder {
 public:
  // The name's ending says the container. Throws BadOutput.
  Encoder(const std::filesystem::path& file, const ClipFormat& format,
          const EncoderOptions& options);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  // Removes what was written, unless it was kept.
  ~Encoder();

  // Times are in the format's time_base, and grow. Throws BadOutput: a full disk, say.
  void write(std::span<const std::uint32_t> frame, std::int64_t time);
  // After the last frame: completes the file. Throws BadOutput.
  void finish();
  // After finish(): the file takes its name, in place of any other of that name. Throws BadOutput.
  void keep();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
};

}  // namespace video
