#include "reference.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace video {

namespace {

// A sample of a plane; outside, the nearest one at the border (of the padded row: the kernels know
// no other).
int sample(const Plane<const std::uint8_t>& plane, std::int64_t x, std::int64_t y) {
  x = std::clamp<std::int64_t>(x, 0, static_cast<std::int64_t>(plane.row) - 1);
  y = std::clamp<std::int64_t>(y, 0, static_cast<std::int64_t>(plane.height) - 1);
  return plane.samples[static_cast<std::size_t>(y) * plane.row + static_cast<std::size_t>(x)];
}

template <typename Function>
void for_each_sample(const Plane<std::uint8_t>& plane, Function function) {
  for (std::size_t y = 0; y < plane.height; ++y) {
    for (std::size_t x = 0; x < plane.row; ++x) {
      plane.samples[y * plane.row + x] = static_cast<std::uint8_t>(
          function(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
    }
  }
}

}  // namespace

std::vector<std::uint32_t> denoise(std::span<const std::uint32_t> frame, const FrameLayout& layout,
                                   const FilterOptions& options) {
  std::vector<std::uint32_t> result(frame.size());
  for (std::size_t p = 0; p < plane_count; ++p) {
    const auto from = plane_of(layout, bytes_of(frame), p);
    for_each_sample(plane_of(layout, bytes_of(std::span(result)), p), [&](std::int64_t x,
                                                                          std::int64_t y) {
      const int centre = sample(from, x, y);
      std::int64_t sum = 0;
      std::int64_t total = 0;
      for (int dy = -options.radius; dy <= options.radius; ++dy) {
        for (int dx = -options.radius; dx <= options.radius; ++dx) {
          const int there = sample(from, x + dx, y + dy);
          const int difference = std::abs(there - centre);
          if (difference >= options.strength) continue;  // the other side of an edge
          const std::int64_t near =
              (options.radius + 1 - std::abs(dx)) * (options.radius + 1 - std::abs(dy));
          const std::int64_t alike = options.strength * options.strength - difference * difference;
          sum += near * alike * there;
          total += near * alike;
        }
      }
      return (sum + total / 2) / total;
    });
  }
  return result;
}

std::vector<std::uint32_t> sharpen(std::span<const std::uint32_t> frame, const FrameLayout& layout,
                                   const FilterOptions& options) {
  constexpr std::array binomial{1, 4, 6, 4, 1};
  std::vector<std::uint32_t> result(frame.begin(), frame.end());
  const auto luma = plane_of(layout, bytes_of(frame), 0);
  for_each_sample(
      plane_of(layout, bytes_of(std::span(result)), 0), [&](std::int64_t x, std::int64_t y) {
        int blurred = 0;  // times 256
        for (int dy = -2; dy <= 2; ++dy) {
          for (int dx = -2; dx <= 2; ++dx) {
            blurred += binomial[static_cast<std::size_t>(dy + 2)] *
                       binomial[static_cast<std::size_t>(dx + 2)] * sample(luma, x + dx, y + dy);
          }
        }
        const int centre = sample(luma, x, y);
        const int detail = options.amount * (256 * centre - blurred);  // times 16 x 256
        return std::clamp(centre + ((detail + 2048) >> 12), 0, 255);
      });
  return result;
}

}  // namespace video
