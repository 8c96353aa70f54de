// Clips and frames that tests make for themselves.
#pragma once

#include "video/encoder.hpp"
#include "video/frame.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace clips {

// A folder of its own, gone with this object.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "antiphon-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

// A smooth picture that moves, so that no frame is like another and a codec loses little.
inline std::vector<std::uint32_t> picture(const video::FrameLayout& layout, int number) {
  std::vector<std::uint32_t> words(layout.words());
  for (std::size_t p = 0; p < video::plane_count; ++p) {
    const auto plane = video::plane_of(layout, video::bytes_of(std::span(words)), p);
    for (std::size_t i = 0; i < plane.samples.size(); ++i) {
      const auto x = static_cast<int>(i % plane.row);
      const auto y = static_cast<int>(i / plane.row);
      plane.samples[i] =
          static_cast<std::uint8_t>(60 + (x + y + 5 * number * (1 + static_cast<int>(p))) % 130);
    }
  }
  return words;
}

// Deterministic, and like nothing in nature.
inline std::vector<std::uint32_t> noise(const video::FrameLayout& layout, std::uint32_t seed) {
  std::vector<std::uint32_t> words(layout.words());
  for (auto& word : words) word = seed = seed * 1664525u + 1013904223u;
  return words;
}

inline video::ClipFormat format(std::uint32_t width, std::uint32_t height) {
  video::ClipFormat result;
  result.layout = {width, height};
  result.time_base = {1, 1000};
  return result;
}

inline void write(const std::filesystem::path& file, const video::ClipFormat& format, int frames) {
  video::Encoder encoder{file, format, {.preset = "ultrafast", .quality = 4}};
  for (int i = 0; i < frames; ++i)
    encoder.write(picture(format.layout, i), i * format.frame_duration());
  encoder.finish();
  encoder.keep();
}

inline std::string bytes(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& file, const std::string& text) {
  std::ofstream{file, std::ios::binary} << text;
}

// An .mp4 whose index comes first, as clips made for the web have it; the encoder puts it last.
// What is before its samples grows by the index, so each chunk's place in the file does, too.
inline std::string with_index_first(std::string mp4) {
  const auto number_at = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
      value = value << 8 | static_cast<std::uint8_t>(mp4.at(at + i));
    return value;
  };
  const std::size_t moov = mp4.rfind("moov") - 4;
  const std::size_t moov_size = number_at(moov);
  const std::size_t chunks = mp4.find("stco", moov) + 8;  // after the name, version and flags
  for (std::uint32_t i = 0; i < number_at(chunks); ++i) {
    const std::size_t at = chunks + 4 + 4 * i;
    const auto moved = static_cast<std::uint32_t>(number_at(at) + moov_size);
    for (std::size_t byte = 0; byte < 4; ++byte)
      mp4[at + byte] = static_cast<char>(moved >> (24 - 8 * byte) & 255);
  }
  const std::size_t ftyp_size = number_at(0);
  return mp4.substr(0, ftyp_size) + mp4.substr(moov, moov_size) +
         mp4.substr(ftyp_size, moov - ftyp_size);
}

// One second of silence: 8,000 samples of 8 bits.
inline std::string silent_wav() {
  const auto number = [](std::uint32_t value, int size) {
    std::string text;
    for (int i = 0; i < size; ++i) text += static_cast<char>(value >> 8 * i & 255);
    return text;
  };
  return "RIFF" + number(36 + 8000, 4) + "WAVEfmt " + number(16, 4) + number(1, 2) + number(1, 2) +
         number(8000, 4) + number(8000, 4) + number(1, 2) + number(8, 2) + "data" +
         number(8000, 4) + std::string(8000, '\x80');
}

}  // namespace clips
