// The video sample's decoder and encoder, against each other and against bad files.
#include "clips.hpp"
#include "video/decoder.hpp"
#include "video/encoder.hpp"

#include <doctest/doctest.h>

extern "C" {
#include <libavutil/log.h>
}

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

using namespace video;

namespace {

const bool silent = (av_log_set_level(AV_LOG_QUIET), true);

struct Read {
  std::vector<std::vector<std::uint32_t>> frames;
  std::vector<std::int64_t> times;
  std::string error;  // empty: read to the end
};

Read read_all(const std::filesystem::path& file, const DecoderOptions& options = {}) {
  Read result;
  try {
    Decoder decoder{file, options};
    std::vector<std::uint32_t> frame(decoder.format().layout.words());
    std::int64_t time = 0;
    while (decoder.read(frame, time)) {
      result.frames.push_back(frame);
      result.times.push_back(time);
    }
  } catch (const BadClip& error) {
    result.error = error.what();
  }
  return result;
}

// The largest difference of two frames' samples, padding left out.
int largest_difference(const FrameLayout& layout, const std::vector<std::uint32_t>& a,
                       const std::vector<std::uint32_t>& b) {
  int largest = 0;
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto left = plane_of(layout, bytes_of(std::span(a)), p);
    const auto right = plane_of(layout, bytes_of(std::span(b)), p);
    for (std::size_t y = 0; y < left.height; ++y) {
      for (std::size_t x = 0; x < left.width; ++x) {
        const auto at = y * left.row + x;
        largest = std::max(largest, std::abs(left.samples[at] - right.samples[at]));
      }
    }
  }
  return largest;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what was encoded is decoded again: as many frames, their times, their pictures") {
  const clips::Folder folder;
  for (const auto& layout : {FrameLayout{64, 48}, FrameLayout{70, 46}, FrameLayout{2, 2}}) {
    CAPTURE(layout.width);
    const auto format = clips::format(layout.width, layout.height);
    clips::write(folder / "clip.mp4", format, 12);
    const auto read = read_all(folder / "clip.mp4");
    CHECK(read.error == "");
    REQUIRE(read.frames.size() == 12);
    for (int i = 0; i < 12; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(largest_difference(format.layout, read.frames[at], clips::picture(format.layout, i)) <=
            12);
    }
    const Decoder decoder{folder / "clip.mp4", {}};
    CHECK(decoder.format().layout == format.layout);
    CHECK(decoder.format().frames == 12);
    CHECK(av_cmp_q(decoder.format().frame_rate, {25, 1}) == 0);
    const double tick = av_q2d(decoder.format().time_base);
    for (std::size_t i = 0; i < 12; ++i) {
      CHECK(static_cast<double>(read.times[i]) * tick ==
            doctest::Approx(0.04 * static_cast<double>(i)));
    }
  }
}

TEST_CASE("a row's padding repeats the picture's last column") {
  const clips::Folder folder;
  const auto format = clips::format(70, 46);
  clips::write(folder / "clip.mp4", format, 1);
  const auto frame = read_all(folder / "clip.mp4").frames.at(0);
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto plane = plane_of(format.layout, bytes_of(std::span(frame)), p);
    REQUIRE(plane.row > plane.width);
    for (std::size_t y = 0; y < plane.height; ++y) {
      for (std::size_t x = plane.width; x < plane.row; ++x) {
        REQUIRE(plane.samples[y * plane.row + x] == plane.samples[y * plane.row + plane.width - 1]);
      }
    }
  }
}

TEST_CASE("how a player is to turn the picture is kept") {
  const clips::Folder folder;
  auto format = clips::format(64, 48);
  // A quarter turn; the first two columns are 16.16 fixed point, the last is 2.30.
  format.display_matrix = {0, 1 << 16, 0, -(1 << 16), 0, 0, 0, 0, 1 << 30};
  clips::write(folder / "upright.mp4", format, 2);
  const Decoder decoder{folder / "upright.mp4", {}};
  REQUIRE(decoder.format().display_matrix);
  CHECK(std::equal(format.display_matrix->begin(), format.display_matrix->begin() + 6,
                   decoder.format().display_matrix->begin()));
  clips::write(folder / "plain.mp4", clips::format(64, 48), 2);
  CHECK(!Decoder(folder / "plain.mp4", {}).format().display_matrix);
}

TEST_CASE("a clip is scaled to the wanted width and keeps its shape") {
  const clips::Folder folder;
  clips::write(folder / "clip.mp4", clips::format(128, 96), 2);
  const Decoder decoder{folder / "clip.mp4", {.width = 64}};
  CHECK(decoder.format().layout == FrameLayout{64, 48});
  CHECK(read_all(folder / "clip.mp4", {.width = 64}).frames.size() == 2);
}

TEST_CASE("of a clip that is cut off, what is there is read, and then the place is told") {
  const clips::Folder folder;
  clips::write(folder / "whole.mp4", clips::format(64, 48), 40);
  const auto whole = read_all(folder / "whole.mp4");
  REQUIRE(whole.frames.size() == 40);
  const auto bytes = clips::with_index_first(clips::bytes(folder / "whole.mp4"));
  clips::write_bytes(folder / "web.mp4", bytes);
  CHECK(read_all(folder / "web.mp4").frames == whole.frames);

  for (const std::size_t lost : {std::size_t{1}, bytes.size() / 8, bytes.size() / 3}) {
    CAPTURE(lost);
    clips::write_bytes(folder / "part.mp4", bytes.substr(0, bytes.size() - lost));
    const auto part = read_all(folder / "part.mp4");
    CAPTURE(part.error);
    REQUIRE(!part.frames.empty());
    REQUIRE(part.frames.size() < 40);
    CHECK(std::equal(part.frames.begin(), part.frames.end(), whole.frames.begin()));
    CHECK(contains(part.error, "part.mp4: cut off or damaged after frame " +
                                   std::to_string(part.frames.size())));
  }
}

TEST_CASE("a Matroska clip that is cut off is told by the length that it promised") {
  const clips::Folder folder;
  clips::write(folder / "whole.mkv", clips::format(64, 48), 100);
  const auto whole = read_all(folder / "whole.mkv");
  CHECK(whole.error == "");
  REQUIRE(whole.frames.size() == 100);
  const auto bytes = clips::bytes(folder / "whole.mkv");
  clips::write_bytes(folder / "part.mkv", bytes.substr(0, bytes.size() / 2));
  const auto part = read_all(folder / "part.mkv");
  CAPTURE(part.error);
  REQUIRE(!part.frames.empty());
  CHECK(part.frames.size() < 100);
  CHECK(contains(part.error, "part.mkv: cut off or damaged after frame "));
  CHECK(contains(part.error, "of 4.00 s are missing"));
}

TEST_CASE("a clip that lost its index with its end is refused") {
  const clips::Folder folder;
  clips::write(folder / "whole.mp4", clips::format(64, 48), 40);
  const auto bytes = clips::bytes(folder / "whole.mp4");
  clips::write_bytes(folder / "half.mp4", bytes.substr(0, bytes.size() / 2));
  const auto read = read_all(folder / "half.mp4");
  CHECK(read.frames.empty());
  CHECK(contains(read.error, "half.mp4: not a clip that can be read, or cut off before its index"));
}

TEST_CASE("what is no clip, has no video or is not there is refused by name, with the reason") {
  const clips::Folder folder;
  clips::write_bytes(folder / "silence.wav", clips::silent_wav());
  clips::write_bytes(folder / "letter.mp4", "Dear friend, this is not a clip.\n");
  clips::write_bytes(folder / "empty.mp4", "");
  const std::vector<std::pair<std::filesystem::path, std::string>> cases{
      {folder / "silence.wav", "there is no video in it"},
      {folder / "letter.mp4", "not a clip that can be read"},
      {folder / "empty.mp4", "not a clip that can be read"},
      {folder / "missing.mp4", "there is no such file"},
      {folder / "", "this is a folder"},
  };
  for (const auto& [file, reason] : cases) {
    const auto read = read_all(file);
    CHECK(read.frames.empty());
    CAPTURE(read.error);
    CHECK(contains(read.error, file.string()));
    CHECK(contains(read.error, reason));
  }
}

TEST_CASE("a clip has its name once it is whole and kept, and leaves nothing behind otherwise") {
  const clips::Folder folder;
  const auto format = clips::format(64, 48);
  const auto frame = clips::picture(format.layout, 0);
  clips::write_bytes(folder / "clip.mp4", "the old one");
  {
    Encoder encoder{folder / "clip.mp4", format, {}};
    encoder.write(frame, 0);
    encoder.finish();
  }
  CHECK(clips::bytes(folder / "clip.mp4") == "the old one");
  CHECK(folder.entries() == 1);
  { const Encoder unfinished{folder / "clip.mp4", format, {}}; }
  CHECK(clips::bytes(folder / "clip.mp4") == "the old one");
  CHECK(folder.entries() == 1);

  Encoder encoder{folder / "clip.mp4", format, {}};
  encoder.write(frame, 0);
  encoder.finish();
  encoder.keep();
  CHECK(read_all(folder / "clip.mp4").frames.size() == 1);
  CHECK(folder.entries() == 1);
}

TEST_CASE("an output that cannot be is refused by name, and nothing is left of it") {
  const clips::Folder folder;
  const auto format = clips::format(64, 48);
  for (const auto* name : {"no/such/folder.mp4", "clip.text", "clip", ""}) {
    CAPTURE(name);
    std::string message;
    try {
      const Encoder encoder{folder / name, format, {}};
    } catch (const BadOutput& error) {
      message = error.what();
    }
    CHECK(contains(message, "cannot write " + (folder / name).string() + ": "));
  }
  CHECK(folder.entries() == 0);
}
