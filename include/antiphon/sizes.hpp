// How large the channels of a graph must be: to go on for ever, and to be as fast as it can be.
#pragma once

#include <antiphon/bounds.hpp>
#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstdint>
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
  Fraction period;  // with these; only where a period was asked for
};

struct Sizes {
  Report report;  // what the check found with unlimited channels; the rest is there if it is valid
  bool bytes = true;  // what is least: bytes, or (SDF3) messages
  Fraction period;    // of unlimited channels: nothing is faster
  std::vector<std::string> channels;
  Sizing live;
  Sizing full;  // at `period`; impossible where that is 0 and nothing finite reaches it
};

struct SizesOptions {
  // Steps of search in all: each makes one firing, or looks at one channel.
  std::int64_t budget = 4'000'000'000;
};

// The given capacities are not looked at. To find the least is NP-hard (Bhattacharyya, Murthy and
// Lee, 1996), so on large graphs the answer may be `found` and not `least`. Any thread.
Sizes sizes(const Graph& graph, const SizesOptions& options = {});

}  // namespace antiphon
