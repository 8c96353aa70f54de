// How large the channels of a graph must be: to go on for ever, and to be as fast as it can be.
#pragma once

#include <antiphon/bounds.hpp>
#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace antiphon {

struct Sizing {
  enum class State {
    least,       // nothing smaller in all does: proved
    found,       // this does; how much smaller another could be, `bound` says
    impossible,  // no capacities do
    undecided,   // the budget ran out before any were found
  };
  State state = State::undecided;
  std::int64_t total = 0;  // of all channels that are sized, in Sizes::unit
  std::int64_t bound = 0;  // proved: no capacities that do come to less
  // Messages, per channel in the graph's order; 0: not sized, it holds any number (an SDF3
  // self-loop of one message that keeps an actor from overlapping itself).
  std::vector<std::int64_t> capacities;
  Fraction period;  // of an iteration, with these; only where a speed was asked for
};

struct Sizes {
  Report report;  // what the check found with unlimited channels; the rest is there if it is valid
  bool bytes = true;                     // what is least: bytes, or (SDF3) messages
  std::int64_t actors_without_cost = 0;  // count as taking no time
  Fraction period;                       // of unlimited channels: nothing is faster
  std::vector<std::string> channels;
  Sizing live;
  Sizing full;  // at `period`; impossible where that is 0 and nothing finite reaches it
  std::optional<Sizing> asked;  // at the period that was asked for
  // Where it was asked for: from the cheapest that live to the cheapest that are as fast as can be,
  // each the cheapest of all that are faster than the one before, and the fastest of all that cost
  // no more.
  std::vector<Sizing> front;
  bool front_whole = false;  // false: the budget, or a thousand points, ended it before that
};

struct SizesOptions {
  // Steps of search in all: each makes one firing, or looks at one channel.
  std::int64_t budget = 4'000'000'000;
  std::optional<Fraction> period = std::nullopt;  // also: an iteration may take so long
  bool front = false;                             // also: what each speed costs
};

// The given capacities are not looked at. To find the least is NP-hard (Bhattacharyya, Murthy and
// Lee, 1996), so on large graphs the answer may be `found` and not `least`. Any thread.
Sizes sizes(const Graph& graph, const SizesOptions& options = {});

}  // namespace antiphon
