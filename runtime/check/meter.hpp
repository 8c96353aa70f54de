// The messages of a sequence up to a firing that only grows, kept as it grows.
#pragma once

#include "base/int128.hpp"

#include <antiphon/phase_sequence.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace antiphon::analysis {

// Firings mostly come by one or a few. Walking the next phases then is several times faster than
// finding totals from nothing, which takes divisions and a search; the sequence itself does the
// rest.
class Meter {
 public:
  Meter() = default;
  // Refers to the sequence, which must outlive it.
  explicit Meter(const PhaseSequence& sequence) : sequence_(&sequence) {
    if (sequence.is_constant()) {
      constant_ = sequence.max();
    } else if (sequence.phases() <= most_phases) {
      count_ = static_cast<std::uint32_t>(sequence.phases());
      values_ = std::make_unique<std::int64_t[]>(count_);
      auto* next = values_.get();
      for (const auto& run : sequence.periodic_runs()) {
        next = std::fill_n(next, run.count, run.value);
      }
    }
  }

  void reset() {
    fired_ = 0;
    total_ = 0;
    phase_ = 0;
  }

  // Over firings 0 … the last; saturates.
  std::int64_t total() const noexcept { return total_; }

  // REQUIRES: firings is not less than before.
  void advance_to(std::int64_t firings) {
    auto more = firings - fired_;
    if (more == 0) return;
    std::int64_t moved = 0;
    if (constant_ >= 0 && !__builtin_mul_overflow(constant_, more, &moved) &&
        !__builtin_add_overflow(total_, moved, &moved)) {
      total_ = moved;
    } else if (walks(more)) {
      for (; more > 0; --more) {
        total_ += values_[phase_];
        if (++phase_ == count_) phase_ = 0;
      }
    } else {
      total_ = sequence_->total(firings);
      const auto past = firings - sequence_->initial_phases();
      if (past >= 0) phase_ = static_cast<std::uint32_t>(past % sequence_->phases());
    }
    fired_ = firings;
  }

  // Firings from here on that need no more than `amount` (>= 0) together; INT64_MAX: any number.
  std::int64_t within(std::int64_t amount) const {
    if (constant_ > 0) {
      if (amount < constant_) return 0;
      return constant_ == 1 ? amount : amount / constant_;
    }
    if (constant_ < 0 && walks(0)) {
      auto phase = phase_;
      for (std::int64_t n = 0; n < few; ++n) {
        amount -= values_[phase];
        if (amount < 0) return n;
        if (++phase == count_) phase = 0;
      }
      for (std::int64_t n = 0; n < few; ++n) {  // too many to walk: as it was
        phase = phase == 0 ? count_ - 1 : phase - 1;
        amount += values_[phase];
      }
    }
    if (constant_ == 0) return std::numeric_limits<std::int64_t>::max();
    const Int128 in_all = Int128{total_} + amount;
    const auto most = sequence_->most_within(static_cast<std::int64_t>(
        std::min<Int128>(in_all, std::numeric_limits<std::int64_t>::max())));
    return most ? *most - fired_ : std::numeric_limits<std::int64_t>::max();
  }

 private:
  static constexpr std::int64_t most_phases = 64;
  static constexpr std::int64_t few = 8;

  bool walks(std::int64_t more) const noexcept {
    return count_ != 0 && more <= few && fired_ >= sequence_->initial_phases() &&
           total_ < PhaseSequence::limit / few;
  }

  const PhaseSequence* sequence_ = nullptr;
  std::int64_t constant_ = -1;  // the value, where it is always the same
  std::int64_t fired_ = 0;
  std::int64_t total_ = 0;
  std::uint32_t phase_ = 0;  // of the next firing, once the initial phases are over
  std::uint32_t count_ = 0;  // of the periodic phases, where they are few
  std::unique_ptr<std::int64_t[]> values_;
};

}  // namespace antiphon::analysis
