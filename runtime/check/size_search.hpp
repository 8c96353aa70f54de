// The cheapest capacities with which something holds that larger ones never break.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace antiphon::analysis {

inline constexpr std::int64_t unlimited_capacity = INT64_MAX;

// What is asked of capacities. Monotone: what holds with some holds with larger ones.
class SizeGoal {
 public:
  SizeGoal() = default;
  virtual ~SizeGoal() = default;
  SizeGoal(const SizeGoal&) = delete;
  SizeGoal& operator=(const SizeGoal&) = delete;

  enum class Answer { holds, fails, undecided };
  // `capacities`: per channel; unlimited_capacity for as many as there are. Where it fails,
  // `blamed` gets channels such that it fails as well with all others unlimited; none: it fails
  // whatever the capacities.
  virtual Answer ask(const std::vector<std::int64_t>& capacities,
                     std::vector<std::size_t>& blamed) = 0;
};

struct SizeProblem {
  std::vector<std::size_t> channels;  // that are sized
  std::vector<std::int64_t> weight;   // per channel: of one message, at least 1
  std::vector<std::int64_t> least;    // per channel: no less is tried
  std::vector<std::int64_t> fixed;    // per channel: what it has where it is not sized
};

// At least one of these channels needs at least so many.
struct SizeCut {
  std::vector<std::pair<std::size_t, std::int64_t>> any;
};
using SizeCuts = std::vector<SizeCut>;

struct SizeResult {
  enum class State { least, found, impossible, undecided };
  State state = State::undecided;
  std::vector<std::int64_t> capacities;  // per channel; as fixed where not sized
  std::int64_t total = 0;                // weights times capacities; saturates
  std::int64_t bound = 0;
};

// Each failure is made as strong as it goes: the largest capacities of the channels to blame that
// still fail, with all others unlimited. It says that one of them has to be larger; the answer is
// the cheapest choice that every such sentence agrees with (an implicit hitting set: Reiter, 1987;
// Moreno-Centeno and Karp, 2013). Choices are tried cheapest first, so the first that holds is
// proved to be the least; where the budget ends, the cheapest not yet ruled out is a lower bound.
// For dataflow channels compare Stuijk, Geilen and Basten, 2008, who grow the channels on critical
// cycles step by step.
//
// `cuts`: what is known already of this goal, or of one that asks for less; gets what was learnt.
SizeResult search_sizes(const SizeProblem& problem, SizeGoal& goal,
                        const std::function<bool()>& may_go_on, SizeCuts& cuts);

}  // namespace antiphon::analysis
