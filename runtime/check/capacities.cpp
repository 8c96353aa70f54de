#include "check/capacities.hpp"

#include "base/int128.hpp"
#include "check/cure.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace antiphon::analysis {

std::vector<std::int64_t> first_capacities(const GraphModel& model) {
  std::unordered_map<std::string_view, const ActorModel*> actors;
  actors.reserve(model.actors.size());
  for (const auto& actor : model.actors) actors.emplace(actor.name, &actor);
  const auto most_per_firing = [&](const Endpoint& end) -> std::int64_t {
    for (const auto& port : actors.at(end.actor)->ports) {
      if (port.name == end.port) return port.rate.max();
    }
    return 0;
  };
  std::vector<std::int64_t> capacities;
  capacities.reserve(model.channels.size());
  for (const auto& channel : model.channels) {
    if (channel.capacity || model.semantics == Semantics::sdf3) {
      capacities.push_back(channel.capacity.value_or(0));
      continue;
    }
    std::int64_t taken = 0;
    for (const auto& to : channel.to) taken = std::max(taken, most_per_firing(to));
    const Int128 wanted =
        Int128{channel.initial} + 2 * (Int128{most_per_firing(channel.from)} + taken);
    capacities.push_back(static_cast<std::int64_t>(
        std::clamp<Int128>(wanted, 1, std::max(PhaseSequence::limit, channel.initial))));
  }
  return capacities;
}

void grow_capacities(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                     std::int64_t budget, std::vector<std::int64_t>& capacities,
                     relation::Relation& relation, Liveness& liveness) {
  CureOptions options;
  options.kind = relation::WaitKind::space;
  options.may_grow = [&](std::uint32_t c) { return !model.channels[c].capacity.has_value(); };
  options.now = [&](std::uint32_t c) { return capacities[c]; };
  // A channel of several readers may be in several blocks: the largest counts.
  std::map<std::uint32_t, std::int64_t> grown;
  std::vector<Stuck> left;
  for (auto& stuck : liveness.stuck) {
    const auto changes = stuck.kind == Deadlock::capacity
                             ? cure(relation, stuck.block, repetitions, options, budget)
                             : std::nullopt;
    if (!changes) {
      left.push_back(std::move(stuck));
      continue;
    }
    for (const auto& change : *changes) {
      grown[change.channel] = std::max(grown[change.channel], change.to);
    }
  }
  liveness.stuck = std::move(left);
  for (const auto& [channel, capacity] : grown) capacities[channel] = capacity;
  for (auto& w : relation.waits) {
    if (w.kind != relation::WaitKind::space || grown.count(w.channel) == 0) continue;
    w.offset = capacities[w.channel] - model.channels[w.channel].initial;
  }
}

}  // namespace antiphon::analysis
