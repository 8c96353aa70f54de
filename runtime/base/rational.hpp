// Fractions of 64-bit integers, exact.
#pragma once

#include "base/int128.hpp"

#include <cstdint>
#include <numeric>

namespace antiphon {

// In lowest terms, the denominator positive.
class Rational {
 public:
  Rational(std::int64_t value = 0) : numerator_(value) {}  // NOLINT: a number is a fraction
  // REQUIRES: denominator > 0.
  Rational(std::int64_t numerator, std::int64_t denominator) {
    const auto common = std::gcd(numerator, denominator);
    numerator_ = numerator / common;
    denominator_ = denominator / common;
  }

  std::int64_t numerator() const noexcept { return numerator_; }
  std::int64_t denominator() const noexcept { return denominator_; }
  double value() const noexcept {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

  friend bool operator==(const Rational&, const Rational&) = default;
  friend bool operator<(const Rational& a, const Rational& b) noexcept {
    return Int128{a.numerator_} * b.denominator_ < Int128{b.numerator_} * a.denominator_;
  }

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace antiphon
