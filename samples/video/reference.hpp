// What the kernels denoise.comp and sharpen.comp compute, computed plainly on the CPU. Both work in
// whole numbers, so the results must be equal: there is no tolerance.
#pragma once

#include "frame.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace video {

struct FilterOptions {
  int radius = 2;     // of the denoiser's window, samples; 1 to 4
  int strength = 24;  // differences from here on are edges; levels of 256, 1 to 128
  int amount = 12;    // of sharpening, sixteenths; 0 to 64
};

// A bilateral filter on each plane: Tomasi and Manduchi, Bilateral filtering for gray and color
// images, 1998.
std::vector<std::uint32_t> denoise(std::span<const std::uint32_t> frame, const FrameLayout& layout,
                                   const FilterOptions& options);
// An unsharp mask on the luma plane.
std::vector<std::uint32_t> sharpen(std::span<const std::uint32_t> frame, const FrameLayout& layout,
                                   const FilterOptions& options);

}  // namespace video
