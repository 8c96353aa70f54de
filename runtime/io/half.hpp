// IEEE 754 binary16, which C++20 does not have.
#pragma once

#include <cmath>
#include <cstdint>

namespace antiphon::io {

// The nearest half, ties to even; too large becomes infinite.
inline std::uint16_t half_from(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  if (size >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00U);  // half way beyond 65504
  int exponent = 0;
  std::frexp(size, &exponent);
  // Subnormals below 2^-14 share its spacing, 2^-24.
  const int spacing = size == 0 || exponent < -13 ? -24 : exponent - 11;
  const auto steps = static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, -spacing)));
  // Rounding up to the next power of two carries into the exponent, which is then right.
  return static_cast<std::uint16_t>(sign | (steps + ((spacing + 24) << 10U)));
}

inline double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10U) & 0x1FU;
  const int fraction = bits & 0x3FFU;
  double size = 0;
  if (exponent == 0x1F) {
    size = fraction == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    size = std::ldexp(fraction, -24);
  } else {
    size = std::ldexp(fraction + 0x400, exponent - 25);
  }
  return (bits & 0x8000U) != 0 ? -size : size;
}

}  // namespace antiphon::io
