#include "pass.hpp"

#include "common/interrupt.hpp"

#include <functional>
#include <string_view>

namespace video {

namespace {

std::size_t hash_of(std::span<const std::uint32_t> frame) {
  const auto bytes = std::as_bytes(frame);
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void keep_some(KeptFrames& kept, std::int64_t number, std::span<const std::uint32_t> frame,
               std::int64_t every, std::int64_t most) {
  if (number % every == 0 && number / every < most)
    kept.try_emplace(number, frame.begin(), frame.end());
}

}  // namespace

Source::Source(const Options& options, std::int64_t frames, std::int64_t keep_every)
    : options_(options),
      decoder_(options.input, options.decoder),
      frames_(frames),
      keep_every_(keep_every) {}

bool Source::read(std::span<std::uint32_t> frame, std::int64_t& time) {
  if (samples::interrupted() || (frames_ != 0 && given_ == frames_)) return false;
  if (!decoder_.read(frame, time)) {
    if (frames_ == 0) return false;
    decoder_ = Decoder(options_.input, options_.decoder);
    time_offset_ = last_time_ + format().frame_duration();
    if (!decoder_.read(frame, time)) return false;
  }
  time += time_offset_;
  last_time_ = time;
  keep_some(kept_, given_, frame, keep_every_, options_.verify);
  ++given_;
  return true;
}

Sink::Sink(const Options& options, const ClipFormat& format, std::int64_t keep_every)
    : encoder_(options.output, format, options.encoder),
      keep_(options.verify),
      keep_every_(keep_every) {}

void Sink::write(std::span<const std::uint32_t> frame, std::int64_t time) {
  keep_some(kept_, static_cast<std::int64_t>(hashes_.size()), frame, keep_every_, keep_);
  hashes_.push_back(hash_of(frame));
  encoder_.write(frame, time);
}

}  // namespace video
