// One pass of the clip through the graph: what its CPU actors do, and what is kept of it to
// compare.
#pragma once

#include "decoder.hpp"
#include "encoder.hpp"
#include "options.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <vector>

namespace video {

// Frames by their number.
using KeptFrames = std::map<std::int64_t, std::vector<std::uint32_t>>;

// Gives frames. One thread at a time.
class Source {
 public:
  // `frames` in all, from the start again where the clip has fewer; 0: the clip once. Every
  // `keep_every`th frame is kept, at most options.verify of them.
  Source(const Options& options, std::int64_t frames, std::int64_t keep_every);

  const ClipFormat& format() const noexcept { return decoder_.format(); }
  // False after the last frame, or when the user wants to end.
  bool read(std::span<std::uint32_t> frame, std::int64_t& time);
  const KeptFrames& kept() const noexcept { return kept_; }

 private:
  const Options& options_;
  Decoder decoder_;
  std::int64_t frames_;
  std::int64_t keep_every_;
  std::int64_t given_ = 0;
  std::int64_t time_offset_ = 0;
  std::int64_t last_time_ = 0;
  KeptFrames kept_;
};

// Takes frames. One thread at a time.
class Sink {
 public:
  Sink(const Options& options, const ClipFormat& format, std::int64_t keep_every);

  void write(std::span<const std::uint32_t> frame, std::int64_t time);
  Encoder& encoder() noexcept { return encoder_; }
  // One number for each frame taken, equal for equal frames.
  const std::vector<std::size_t>& hashes() const noexcept { return hashes_; }
  const KeptFrames& kept() const noexcept { return kept_; }

 private:
  Encoder encoder_;
  std::int64_t keep_;
  std::int64_t keep_every_;
  std::vector<std::size_t> hashes_;
  KeptFrames kept_;
};

struct Pass {
  Pass(const Options& options, std::int64_t frames, std::int64_t keep_every)
      : source(options, frames, keep_every), sink(options, source.format(), keep_every) {}

  Source source;
  Sink sink;
};

}  // namespace video
