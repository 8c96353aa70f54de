// How fast a graph can be, before anything runs: exactly, with what limits it.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace antiphon {

// In lowest terms, the denominator positive.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;

  double value() const noexcept {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
  }
  friend bool operator==(const Fraction&, const Fraction&) = default;
};

// Who waits for whom on the cycle that limits a graph. Firings that wait along the same channel are
// one step.
struct CriticalStep {
  enum class Through {
    data,    // for messages of `waits_for`
    space,   // for room that `waits_for` makes
    itself,  // for its own earlier firing: it does not overlap itself
  };
  std::string actor;
  std::string waits_for;
  Through through = Through::data;
  std::string channel;       // empty: itself
  std::int64_t firings = 0;  // of the actor, that wait so
  std::int64_t time = 0;     // they cost in all
};

struct Bound {
  enum class State {
    exact,
    undecided,  // the budget ran out; `period` is proved to be no more than the answer
    too_large,  // the times do not fit 62 bits
  };
  State state = State::exact;
  // Least time of one iteration in the long run; 0: nothing limits it. ActorFacts::firings tells
  // how often each actor fires meanwhile. Connected parts of a graph go on by themselves: this is
  // the slowest part's.
  Fraction period;
  // Each step waits for the actor of the next one, the last for the first one's. Once around they
  // cost `cycle_time` and are `cycle_iterations` iterations of the cycle's own on, of which
  // `cycle_share` make one of the graph's: period = cycle_time * cycle_share / cycle_iterations.
  // Empty where nothing limits, and for iterations of more than 67 million firings.
  std::vector<CriticalStep> critical_cycle;
  std::int64_t cycle_time = 0;
  std::int64_t cycle_iterations = 0;
  std::int64_t cycle_share = 1;
};

// How long a message takes: from when a firing of `source` may start to the end of the first
// firing of `sink` that it has a part in, along channels and through actors, where every firing
// starts as soon as it can.
struct Latency {
  enum class State {
    finite,
    infinite,     // the source's messages come faster than the graph takes them, so they pile up
    undecided,    // the budget ran out
    too_large,    // the times do not fit 62 bits
    unconnected,  // nothing that the source goes on sending has a part in what reaches the sink
  };
  State state = State::finite;
  std::string source;
  std::string sink;
  Fraction interval;      // from one firing of the source to the next
  Fraction first;         // of the source's first firing
  Fraction steady;        // the longest, once the graph has found its pace
  Fraction interval_min;  // where infinite: the least interval that the graph can take
};

struct Bounds {
  Report report;  // what the check found; the rest means something only if it is valid
  std::int64_t actors_without_cost = 0;
  bool nanoseconds = true;         // the unit of all times; false: the file's own (SDF3)
  Bound given;                     // with the capacities and the concurrency that the graph has
  Bound unlimited;                 // with channels that hold any number of messages
  Bound serial;                    // with the given capacities, and no actor that overlaps itself
  std::vector<Latency> latencies;  // where they were asked for
};

// Between which actors, and how fast messages come.
struct LatencyQuestion {
  std::string source = {};  // empty: from each actor that has no inputs
  std::string sink = {};    // empty: to each that has no outputs
  // From one firing of the source to the next, in the graph's unit. None: as fast as what the sink
  // waits for can go on.
  std::optional<std::int64_t> interval = std::nullopt;
};

struct BoundsOptions {
  std::int64_t check_budget = 2'000'000'000;  // as CheckOptions::budget
  // Firings that are walked through for each bound and each latency.
  std::int64_t budget = 2'000'000'000;
  std::optional<LatencyQuestion> latency =
      std::nullopt;  // of the graph as it is, capacities and all
};

// Actors without a cost take no time. Never throws on a bad graph: what is wrong is in the report.
// Throws Error{misuse} when the question names an actor that the graph does not have.
Bounds bounds(const Graph& graph, const BoundsOptions& options = {});

}  // namespace antiphon
