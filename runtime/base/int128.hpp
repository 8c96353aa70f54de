// 128-bit integers, for products of two 64-bit numbers.
#pragma once

namespace antiphon {

__extension__ typedef __int128 Int128;

// The greatest common divisor of two numbers that are not negative.
constexpr Int128 gcd(Int128 a, Int128 b) noexcept {
  while (b != 0) {
    const auto rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace antiphon
