// The graph as data: actors, ports, rates, channels, each with the place it was written at. What a
// name refers to, and whether any of it makes sense, is for the check to say.
#pragma once

#include "base/rational.hpp"

#include <antiphon/graph.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace antiphon {

// How the graph's numbers are to be read.
enum class Semantics {
  antiphon,  // bounded channels, actors serial unless they say otherwise, costs in nanoseconds
  sdf3,      // SDF3's rule: unbounded channels, unlimited self-overlap, costs in integer time units
};

struct ActorModel {
  std::string name;
  Side side = Side::cpu;
  std::vector<Port> ports;
  // How many of its firings may run at once; 0: any number.
  std::int64_t concurrency = 1;
  // Time of each firing, in ns (sdf3: time units).
  std::optional<PhaseSequence> cost;
  // What it touches outside the graph, by name: a file, a display.
  std::vector<std::string> uses;
  // Its function may sleep in a call, and holds a thread meanwhile. CPU actors alone.
  bool blocking = false;
  CpuFunction function;
  std::shared_ptr<const Kernel> kernel;  // null: none
  std::string kernel_file;               // as the graph file names it
  Place kernel_place = {};               // where it does
  Place place = {};
};

struct ChannelModel {
  Endpoint from;
  std::vector<Endpoint> to;
  // Messages; nothing: the check chooses (antiphon) or unbounded (sdf3).
  std::optional<std::int64_t> capacity;
  std::int64_t initial = 0;
  std::vector<std::byte> initial_values;
  std::string name;           // empty: "from.port -> to.port"
  MessageType type;           // what the channel itself says; size 0: nothing
  Place place = {};           // the channel as a whole
  Place capacity_place = {};  // where its numbers stand, as far as known
  Place initial_place = {};
};

// What the check holds a graph to.
struct ThroughputRequirement {
  std::string actor;  // so many firings; empty: so many iterations of the graph
  Rational least;     // in 1 ns (sdf3: in 1 unit of time)
  Place place = {};
};
struct LatencyRequirement {
  std::string source;
  std::string sink;
  std::int64_t most = 0;              // ns
  std::optional<std::int64_t> every;  // ns between the source's firings
  Place place = {};
};
struct MemoryRequirement {
  std::int64_t most = 0;  // bytes of all channels
  Place place = {};
};
struct Requirements {
  std::vector<ThroughputRequirement> throughput;
  std::vector<LatencyRequirement> latency;
  std::optional<MemoryRequirement> memory;
};

// A warning that is all right here, and why.
struct Allowance {
  std::string rule;
  std::string of;  // an actor, a channel or a resource; empty: all
  std::string reason;
  Place place = {};
};

struct GraphModel {
  std::string name;
  Semantics semantics = Semantics::antiphon;
  std::vector<ActorModel> actors;
  std::vector<ChannelModel> channels;
  Requirements require;
  std::vector<Allowance> allow;
  Place place = {};
};

// The channel's own name, or "a.x -> b.y" ("a.x -> b.y, c.z" for several readers, of very many the
// first few).
std::string display_name(const ChannelModel& channel);

}  // namespace antiphon
