// A graph as plain numbers, the way its definition says it: what the oracles of the check work on.
#pragma once

#include "graph/model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace antiphon {

// One value for each firing: some once, then the others again and again.
struct PlainPhases {
  std::vector<std::int64_t> once;
  std::vector<std::int64_t> again{0};

  std::int64_t at(std::int64_t n) const {
    const auto first = static_cast<std::int64_t>(once.size());
    if (n < first) return once[static_cast<std::size_t>(n)];
    return again[static_cast<std::size_t>((n - first) % static_cast<std::int64_t>(again.size()))];
  }
  std::int64_t most() const {
    std::int64_t result = 0;
    for (const auto v : once) result = v > result ? v : result;
    for (const auto v : again) result = v > result ? v : result;
    return result;
  }
  bool moves() const {
    for (const auto v : again) {
      if (v > 0) return true;
    }
    return false;
  }
};

inline PlainPhases plain(const PhaseSequence& sequence) {
  const auto values = [](std::span<const PhaseRun> runs) {
    std::vector<std::int64_t> result;
    for (const auto& run : runs) {
      result.insert(result.end(), static_cast<std::size_t>(run.count), run.value);
    }
    return result;
  };
  return {values(sequence.initial_runs()), values(sequence.periodic_runs())};
}

struct PlainGraph {
  struct Actor {
    std::int64_t once = 0;         // phases before the first cycle
    std::int64_t cycle = 1;        // phases of a cycle
    std::int64_t concurrency = 1;  // 0: any
    PlainPhases cost;
  };
  // A channel and one of its readers.
  struct Link {
    std::size_t channel = 0;
    std::size_t writer = 0;
    std::size_t reader = 0;
    PlainPhases sent;
    PlainPhases taken;
    std::int64_t initial = 0;
    std::int64_t capacity = 0;  // 0: without bound

    bool moves() const { return sent.moves(); }
  };
  std::vector<Actor> actors;
  std::vector<Link> links;
};

// `capacities` per channel; 0: without bound.
inline PlainGraph plain(const GraphModel& model, const std::vector<std::int64_t>& capacities) {
  PlainGraph graph;
  for (const auto& from : model.actors) {
    PlainGraph::Actor actor;
    actor.concurrency = from.concurrency;
    if (from.cost) actor.cost = plain(*from.cost);
    const auto consider = [&](const PlainPhases& phases) {
      actor.once = std::max(actor.once, static_cast<std::int64_t>(phases.once.size()));
      actor.cycle = std::max(actor.cycle, static_cast<std::int64_t>(phases.again.size()));
    };
    consider(actor.cost);
    for (const auto& port : from.ports) consider(plain(port.rate));
    graph.actors.push_back(std::move(actor));
  }
  const auto find = [&](const Endpoint& end, std::size_t& at) {
    for (at = 0; at < model.actors.size(); ++at) {
      if (model.actors[at].name != end.actor) continue;
      for (const auto& port : model.actors[at].ports) {
        if (port.name == end.port) return plain(port.rate);
      }
    }
    throw std::logic_error("no such port");
  };
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    const auto& channel = model.channels[c];
    for (const auto& to : channel.to) {
      PlainGraph::Link link;
      link.channel = c;
      link.sent = find(channel.from, link.writer);
      link.taken = find(to, link.reader);
      link.initial = channel.initial;
      link.capacity = capacities[c];
      graph.links.push_back(std::move(link));
    }
  }
  return graph;
}

}  // namespace antiphon
