#include "base/int128.hpp"

#include <antiphon/error.hpp>
#include <antiphon/phase_sequence.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace antiphon {

namespace {

constexpr std::int64_t saturated(Int128 value) noexcept {
  return value > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(value);
}

std::vector<PhaseRun> single_runs(std::initializer_list<std::int64_t> values) {
  std::vector<PhaseRun> runs;
  runs.reserve(values.size());
  for (const auto value : values) runs.push_back({1, value});
  return runs;
}

}  // namespace

void PhaseSequence::Part::set(std::vector<PhaseRun> given) {
  for (const auto& run : given) {
    if (run.count < 0) throw Error(ErrorKind::misuse, "a phase count is negative");
    if (run.value < 0) throw Error(ErrorKind::misuse, "the value of a phase is negative");
    if (run.count == 0) continue;
    if (run.value > limit || run.count > limit - phases ||
        Int128{run.count} * run.value > Int128{limit} - sum) {
      throw Error(ErrorKind::misuse, "the values of one cycle of phases sum to more than 2^62");
    }
    if (!runs.empty() && runs.back().value == run.value) {
      runs.back().count += run.count;
    } else {
      runs.push_back(run);
      phases_before.push_back(phases);
      sum_before.push_back(sum);
    }
    phases += run.count;
    sum += run.count * run.value;
  }
}

std::int64_t PhaseSequence::Part::at(std::int64_t n) const noexcept {
  if (runs.size() == 1) return runs.front().value;
  const auto after = std::upper_bound(phases_before.begin(), phases_before.end(), n);
  return runs[static_cast<std::size_t>(after - phases_before.begin()) - 1].value;
}

std::int64_t PhaseSequence::Part::total(std::int64_t n) const noexcept {
  if (n == 0) return 0;
  const auto after = std::upper_bound(phases_before.begin(), phases_before.end(), n);
  const auto i = static_cast<std::size_t>(after - phases_before.begin()) - 1;
  return sum_before[i] + (n - phases_before[i]) * runs[i].value;
}

// REQUIRES: 0 <= amount <= sum.
std::int64_t PhaseSequence::Part::least_reaching(std::int64_t amount) const noexcept {
  if (amount == 0) return 0;
  // The run in which the sum first reaches the amount: the last that begins below it.
  const auto at_least = std::lower_bound(sum_before.begin(), sum_before.end(), amount);
  auto i = static_cast<std::size_t>(at_least - sum_before.begin()) - 1;
  while (runs[i].value == 0) --i;  // a run of zeros begins where the one before it ended
  return phases_before[i] + (amount - sum_before[i] + runs[i].value - 1) / runs[i].value;
}

// REQUIRES: 0 <= amount < sum.
std::int64_t PhaseSequence::Part::most_within(std::int64_t amount) const noexcept {
  const auto above = std::upper_bound(sum_before.begin(), sum_before.end(), amount);
  const auto i = static_cast<std::size_t>(above - sum_before.begin()) - 1;
  if (runs[i].value == 0) return phases_before[i] + runs[i].count;
  return phases_before[i] + (amount - sum_before[i]) / runs[i].value;
}

PhaseSequence::PhaseSequence(std::int64_t value) : run_{1, value} {
  if (value < 0 || value > limit) Part().set({run_});  // which says what is wrong
}

PhaseSequence::PhaseSequence(std::initializer_list<std::int64_t> periodic)
    : PhaseSequence(std::vector<PhaseRun>{}, single_runs(periodic)) {}

PhaseSequence::PhaseSequence(std::vector<PhaseRun> initial, std::vector<PhaseRun> periodic) {
  Parts parts;
  parts.initial.set(std::move(initial));
  parts.periodic.set(std::move(periodic));
  if (parts.periodic.phases == 0) throw Error(ErrorKind::misuse, "there is no periodic phase");
  if (parts.initial.phases == 0 && parts.periodic.runs.size() == 1) {
    run_ = parts.periodic.runs.front();
  } else {
    parts_ = std::make_shared<const Parts>(std::move(parts));
  }
}

bool operator==(const PhaseSequence& a, const PhaseSequence& b) noexcept {
  if (!a.parts_ || !b.parts_) return !a.parts_ && !b.parts_ && a.run_ == b.run_;
  return a.parts_ == b.parts_ || (a.parts_->initial.runs == b.parts_->initial.runs &&
                                  a.parts_->periodic.runs == b.parts_->periodic.runs);
}

std::int64_t PhaseSequence::max() const noexcept {
  if (!parts_) return run_.value;
  std::int64_t most = 0;
  for (const auto& run : parts_->initial.runs) most = std::max(most, run.value);
  for (const auto& run : parts_->periodic.runs) most = std::max(most, run.value);
  return most;
}

bool PhaseSequence::is_constant() const noexcept {
  if (!parts_) return true;
  const auto& initial = parts_->initial.runs;
  const auto& periodic = parts_->periodic.runs;
  return periodic.size() == 1 &&
         (initial.empty() ||
          (initial.size() == 1 && initial.front().value == periodic.front().value));
}

bool PhaseSequence::is_constant(std::int64_t value) const noexcept {
  return is_constant() && periodic_runs().front().value == value;
}

std::int64_t PhaseSequence::at(std::int64_t n) const noexcept {
  if (!parts_) return run_.value;
  const auto& [initial, periodic] = *parts_;
  if (n < initial.phases) return initial.at(n);
  if (periodic.runs.size() == 1) return periodic.runs.front().value;
  return periodic.at((n - initial.phases) % periodic.phases);
}

std::int64_t PhaseSequence::total(std::int64_t n) const noexcept {
  if (!parts_) return saturated(Int128{n} * run_.value);
  const auto& [initial, periodic] = *parts_;
  if (n <= initial.phases) return initial.total(n);
  n -= initial.phases;
  const auto cycles = n / periodic.phases;
  return saturated(Int128{initial.sum} + Int128{cycles} * periodic.sum +
                   periodic.total(n % periodic.phases));
}

std::optional<std::int64_t> PhaseSequence::least_reaching(std::int64_t amount) const noexcept {
  if (amount <= 0) return 0;
  if (sum() == 0 && amount > initial_sum()) return std::nullopt;
  if (!parts_) return (amount - 1) / run_.value + 1;
  const auto& [initial, periodic] = *parts_;
  if (amount <= initial.sum) return initial.least_reaching(amount);
  amount -= initial.sum;
  // Whole cycles that stay below the amount, so that the rest, 1 … sum, is reached within one more.
  const auto cycles = (amount - 1) / periodic.sum;
  return saturated(Int128{initial.phases} + Int128{cycles} * periodic.phases +
                   periodic.least_reaching(amount - cycles * periodic.sum));
}

std::optional<std::int64_t> PhaseSequence::most_within(std::int64_t amount) const noexcept {
  if (sum() == 0 && amount >= initial_sum()) return std::nullopt;
  if (!parts_) return amount / run_.value;
  const auto& [initial, periodic] = *parts_;
  if (amount < initial.sum) return initial.most_within(amount);
  amount -= initial.sum;
  const auto cycles = amount / periodic.sum;
  return saturated(Int128{initial.phases} + Int128{cycles} * periodic.phases +
                   periodic.most_within(amount - cycles * periodic.sum));
}

}  // namespace antiphon
