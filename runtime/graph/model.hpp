// The graph as data: actors, ports, rates, channels, each with the place it was written at. What a
// name refers to, and whether any of it makes sense, is for the check to say.
#pragma once

#include <antiphon/graph.hpp>

#include <cstdint>
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
  CpuFunction function;
  std::optional<Kernel> kernel;
  std::string kernel_file;  // as the graph file names it
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

struct GraphModel {
  std::string name;
  Semantics semantics = Semantics::antiphon;
  std::vector<ActorModel> actors;
  std::vector<ChannelModel> channels;
  Place place = {};
};

// The channel's own name, or "a.x -> b.y" ("a.x -> b.y, c.z" for several readers, of very many the
// first few).
std::string display_name(const ChannelModel& channel);

}  // namespace antiphon
