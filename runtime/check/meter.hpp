// The messages of a sequence up to a firing that only grows, kept as it grows.
#pragma once

#include "base/int128.hpp"

#include <antiphon/phase_sequence.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

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
      for (const auto& run : sequence.periodic_runs()) {
        values_.insert(values_.end(), static_cast<std::size_t>(run.count), run.value);
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
        if (++phase_ == values_.size()) phase_ = 0;
      }
    } else {
      total_ = sequence_->total(firings);
      const auto past = firings - sequence_->initial_phases();
      if (past >= 0) phase_ = static_cast<std::size_t>(past % sequence_->phases());
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
        if (++phase == values_.size()) phase = 0;
      }
      for (std::int64_t n = 0; n < few; ++n) {  // too many to walk: as it was
        phase = phase == 0 ? values_.size() - 1 : phase - 1;
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
    return !values_.empty() && more <= few && fired_ >= sequence_->initial_phases() &&
           total_ < PhaseSequence::limit / few;
  }

  const PhaseSequence* sequence_ = nullptr;
  std::int64_t constant_ = -1;  // the value, where it is always the same
  std::int64_t fired_ = 0;
  std::int64_t total_ = 0;
  std::size_t phase_ = 0;             // of the next firing, once the initial phases are over
  std::vector<std::int64_t> values_;  // of the periodic phases, where they are few
};

}  // namespace antiphon::analysis
