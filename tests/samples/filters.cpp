// What the video sample's reference filters promise, whatever the numbers.
#include "clips.hpp"
#include "video/reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace video;

namespace {

constexpr FrameLayout layout{48, 32};

// All planes filled by a function of the place in the plane.
template <typename Function>
std::vector<std::uint32_t> filled(Function function) {
  std::vector<std::uint32_t> words(layout.words());
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto plane = plane_of(layout, bytes_of(std::span(words)), p);
    for (std::size_t i = 0; i < plane.samples.size(); ++i) {
      plane.samples[i] = static_cast<std::uint8_t>(function(i % plane.row, i / plane.row));
    }
  }
  return words;
}

std::span<const std::uint8_t> samples_of(const std::vector<std::uint32_t>& frame) {
  return {bytes_of(std::span(frame)), layout.bytes()};
}

// The mean square of a plane's differences from `level`.
double noise_power(const std::vector<std::uint32_t>& frame, int level) {
  double sum = 0;
  for (const int value : samples_of(frame)) sum += (value - level) * (value - level);
  return sum / static_cast<double>(layout.bytes());
}

}  // namespace

TEST_CASE("both filters leave a flat picture as it is, at every level and size") {
  for (const int level : {0, 1, 16, 127, 128, 254, 255}) {
    const auto flat = filled([&](auto, auto) { return level; });
    for (int radius = 1; radius <= 4; ++radius) {
      for (const int strength : {1, 24, 128}) {
        CHECK(denoise(flat, layout, {.radius = radius, .strength = strength}) == flat);
      }
    }
    CHECK(sharpen(flat, layout, {.amount = 64}) == flat);
  }
}

TEST_CASE("denoising takes most of weak noise away") {
  std::uint32_t state = 1;
  const auto noisy = filled([&](auto, auto) {
    state = state * 1664525u + 1013904223u;
    return 128 - 6 + static_cast<int>(state >> 24) % 13;
  });
  const auto clean = denoise(noisy, layout, {.radius = 2, .strength = 24});
  CHECK(noise_power(clean, 128) < 0.25 * noise_power(noisy, 128));
}

TEST_CASE("denoising keeps an edge exactly where it is at least as high as the strength") {
  const auto edge = [](int height) {
    return filled([=](std::size_t x, std::size_t) { return x < 9 ? 100 : 100 + height; });
  };
  CHECK(denoise(edge(24), layout, {.radius = 4, .strength = 24}) == edge(24));
  CHECK(denoise(edge(23), layout, {.radius = 4, .strength = 24}) != edge(23));
}

TEST_CASE("denoising makes nothing brighter or darker than its neighbourhood") {
  const auto noisy = clips::noise(layout, 7);
  const FilterOptions options{.radius = 3, .strength = 128};
  const auto clean = denoise(noisy, layout, options);
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto from = plane_of(layout, bytes_of(std::span(noisy)), p);
    const auto to = plane_of(layout, bytes_of(std::span(clean)), p);
    const auto rows = static_cast<int>(from.height);
    const auto columns = static_cast<int>(from.row);
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        int low = 255;
        int high = 0;
        for (int v = std::max(y - 3, 0); v <= std::min(y + 3, rows - 1); ++v) {
          for (int u = std::max(x - 3, 0); u <= std::min(x + 3, columns - 1); ++u) {
            const int value = from.samples[static_cast<std::size_t>(v * columns + u)];
            low = std::min(low, value);
            high = std::max(high, value);
          }
        }
        const int value = to.samples[static_cast<std::size_t>(y * columns + x)];
        REQUIRE(value >= low);
        REQUIRE(value <= high);
      }
    }
  }
}

TEST_CASE(
    "sharpening steepens an edge in luma, leaves chroma alone, and by nothing changes nothing") {
  const auto edge = filled([](std::size_t x, std::size_t) { return x < 16 ? 100 : 140; });
  const auto sharp = sharpen(edge, layout, {.amount = 16});
  const auto luma = plane_of(layout, bytes_of(std::span(sharp)), 0);
  // The blur moves 5/16 of the step across the edge, and 1/16 one sample further; halves round up.
  CHECK(luma.samples[13] == 100);
  CHECK(luma.samples[14] == 98);
  CHECK(luma.samples[15] == 88);
  CHECK(luma.samples[16] == 153);
  CHECK(luma.samples[17] == 143);
  CHECK(luma.samples[18] == 140);
  const auto chroma = samples_of(sharp).subspan(layout.luma_bytes());
  CHECK(std::ranges::equal(chroma, samples_of(edge).subspan(layout.luma_bytes())));
  CHECK(sharpen(edge, layout, {.amount = 0}) == edge);
}

TEST_CASE("sharpening stays within 0 to 255") {
  const auto bars = filled([](std::size_t x, std::size_t) { return x / 8 % 2 == 0 ? 0 : 255; });
  CHECK(sharpen(bars, layout, {.amount = 64}) == bars);
}
