// How much a port moves, or an actor costs, in each of its firings.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace antiphon {

// `count` phases in a row that have the same value.
struct PhaseRun {
  std::int64_t count = 0;
  std::int64_t value = 0;
  friend bool operator==(const PhaseRun&, const PhaseRun&) = default;
};

// A sequence of non-negative values over an actor's firings 0, 1, 2, …: initial phases, once, then
// periodic phases, repeated for ever (cyclo-static dataflow: Bilsen, Engels, Lauwereins,
// Peperstraete, 1996). Kept as runs of equal values, so that its size is that of its text and not
// of its phases.
//
// Immutable once made, so copies share what they consist of; any thread may read it.
class PhaseSequence {
 public:
  // The largest value, phase count and sum of one cycle; more is refused with Error{misuse}.
  static constexpr std::int64_t limit = std::int64_t{1} << 62;

  // The same value in every firing.
  PhaseSequence(std::int64_t value = 1);  // NOLINT(google-explicit-constructor): a rate is a number
  // One value per phase, repeated.
  PhaseSequence(std::initializer_list<std::int64_t> periodic);
  // Throws Error{misuse} when a value or a count is negative, a sum passes `limit`, or there is no
  // periodic phase.
  PhaseSequence(std::vector<PhaseRun> initial, std::vector<PhaseRun> periodic);

  std::int64_t initial_phases() const noexcept { return parts_ ? parts_->initial.phases : 0; }
  std::int64_t phases() const noexcept { return parts_ ? parts_->periodic.phases : run_.count; }
  std::int64_t initial_sum() const noexcept { return parts_ ? parts_->initial.sum : 0; }
  // Over one cycle of the periodic phases.
  std::int64_t sum() const noexcept {
    return parts_ ? parts_->periodic.sum : run_.count * run_.value;
  }
  std::int64_t max() const noexcept;
  bool is_constant() const noexcept;
  bool is_constant(std::int64_t value) const noexcept;

  // The value in firing `n` (n >= 0).
  std::int64_t at(std::int64_t n) const noexcept;
  // The sum over firings 0 … n-1; saturates at INT64_MAX.
  std::int64_t total(std::int64_t n) const noexcept;
  // The least n with total(n) >= amount; nothing when no n is enough.
  std::optional<std::int64_t> least_reaching(std::int64_t amount) const noexcept;
  // The greatest n with total(n) <= amount (amount >= 0); nothing when every n is.
  std::optional<std::int64_t> most_within(std::int64_t amount) const noexcept;

  // Neighbours differ in value. Valid as long as this sequence.
  std::span<const PhaseRun> initial_runs() const noexcept {
    return parts_ ? std::span<const PhaseRun>(parts_->initial.runs) : std::span<const PhaseRun>();
  }
  std::span<const PhaseRun> periodic_runs() const noexcept {
    return parts_ ? std::span<const PhaseRun>(parts_->periodic.runs)
                  : std::span<const PhaseRun>(&run_, 1);
  }

  friend bool operator==(const PhaseSequence& a, const PhaseSequence& b) noexcept;

 private:
  struct Part {
    std::vector<PhaseRun> runs;  // neighbours differ in value
    std::vector<std::int64_t> phases_before;
    std::vector<std::int64_t> sum_before;
    std::int64_t phases = 0;
    std::int64_t sum = 0;

    void set(std::vector<PhaseRun> given);
    std::int64_t at(std::int64_t n) const noexcept;
    std::int64_t total(std::int64_t n) const noexcept;
    std::int64_t least_reaching(std::int64_t amount) const noexcept;
    std::int64_t most_within(std::int64_t amount) const noexcept;
  };
  struct Parts {
    Part initial;
    Part periodic;
  };
  // Nearly all sequences are one run that repeats, and need no more than that.
  PhaseRun run_{1, 1};
  std::shared_ptr<const Parts> parts_;  // null: `run_` is all
};

}  // namespace antiphon
