// Random graphs whose rates fit, and the slowest possible way to run one: the oracle of the check.
#pragma once

#include "check/plain_graph.hpp"
#include "graph/model.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace random_graphs {

using namespace antiphon;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  // Both ends included. By remainder, so that every standard library rolls the same.
  std::int64_t roll(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(to - from + 1));
  }
  bool one_in(std::int64_t n) { return roll(1, n) == 1; }

 private:
  std::mt19937_64 engine_;
};

struct Options {
  bool plenty = false;       // some channels hold what several iterations take
  bool phases = true;        // several, and initial ones
  bool bounded = true;       // some channels with tight capacities
  bool all_bounded = false;  // and the others, too
  bool large_rates = false;  // up to most_rate in some channels
  std::int64_t most_actors = 6;
  Semantics semantics = Semantics::antiphon;
};

struct Made {
  GraphModel model;
  std::vector<std::int64_t> cycles;  // per actor, a solution of the balance equations
};

inline constexpr std::int64_t most_rate = 1'000;

inline std::vector<PhaseRun> spread(Dice& dice, std::int64_t sum, std::int64_t phases) {
  const auto most_part = std::max<std::int64_t>(4, sum / 16);
  std::vector<std::int64_t> values(static_cast<std::size_t>(phases), 0);
  while (sum > 0) {
    const auto part = std::min(sum, dice.roll(1, most_part));
    values[static_cast<std::size_t>(dice.roll(0, phases - 1))] += part;
    sum -= part;
  }
  std::vector<PhaseRun> runs;
  for (const auto v : values) runs.push_back({1, v});
  return runs;
}

// q first, then rates: so they always fit.
inline Made make(Dice& dice, const Options& options) {
  Made made;
  auto& model = made.model;
  model.name = "random";
  model.semantics = options.semantics;
  const auto actors = dice.roll(1, options.most_actors);
  std::vector<std::int64_t> phases;
  std::vector<std::int64_t> initial_phases;
  for (std::int64_t a = 0; a < actors; ++a) {
    ActorModel actor;
    actor.name = "a" + std::to_string(a);
    made.cycles.push_back(dice.roll(1, 5));
    phases.push_back(options.phases && !dice.one_in(3) ? dice.roll(1, 4) : 1);
    initial_phases.push_back(options.phases && dice.one_in(4) ? dice.roll(1, 3) : 0);
    model.actors.push_back(std::move(actor));
  }
  const auto add_port = [&](std::size_t a, Direction direction, std::int64_t sum) {
    auto& actor = model.actors[a];
    Port port;
    port.direction = direction;
    port.name = "p" + std::to_string(actor.ports.size());
    std::vector<PhaseRun> first;
    for (std::int64_t i = 0; i < initial_phases[a]; ++i) {
      first.push_back({1, dice.roll(0, options.large_rates ? std::max<std::int64_t>(sum, 3) : 3)});
    }
    port.rate = PhaseSequence(std::move(first), spread(dice, sum, phases[a]));
    port.type.size = 4;
    actor.ports.push_back(port);
    return Endpoint{actor.name, port.name};
  };
  const auto connect = [&](std::size_t from, std::vector<std::size_t> to) {
    std::int64_t per_iteration = made.cycles[from];
    for (const auto t : to) per_iteration = std::lcm(per_iteration, made.cycles[t]);
    if (dice.one_in(3) && per_iteration < 30) per_iteration *= 2;
    if (options.large_rates && dice.one_in(2)) {
      auto fewest = made.cycles[from];
      for (const auto t : to) fewest = std::min(fewest, made.cycles[t]);
      per_iteration *= dice.roll(1, most_rate * fewest / per_iteration);
    }
    if (dice.one_in(25)) per_iteration = 0;  // nothing once the initial phases are over
    ChannelModel channel;
    channel.name = "c" + std::to_string(model.channels.size());
    channel.from = add_port(from, Direction::out, per_iteration / made.cycles[from]);
    std::int64_t most = model.actors[from].ports.back().rate.max();
    for (const auto t : to) {
      channel.to.push_back(add_port(t, Direction::in, per_iteration / made.cycles[t]));
      most = std::max(most, model.actors[t].ports.back().rate.max());
    }
    channel.initial = dice.one_in(2) ? dice.roll(0, 2 * most + 1) : 0;
    if (options.plenty && dice.one_in(2)) channel.initial += dice.roll(0, 4) * per_iteration;
    if (options.all_bounded || (options.bounded && !dice.one_in(3))) {
      channel.capacity = std::max({most + dice.roll(0, most), channel.initial, std::int64_t{1}});
    }
    model.channels.push_back(std::move(channel));
  };
  const auto any = [&] { return static_cast<std::size_t>(dice.roll(0, actors - 1)); };
  for (std::int64_t a = 1; a < actors; ++a) {
    if (dice.one_in(8)) continue;  // several components
    const auto other = static_cast<std::size_t>(dice.roll(0, a - 1));
    const auto self = static_cast<std::size_t>(a);
    if (dice.one_in(2)) {
      connect(other, {self});
    } else {
      connect(self, {other});
    }
  }
  for (auto extra = dice.roll(0, 3); extra > 0; --extra) {
    if (dice.one_in(4)) {
      connect(any(), {any(), any()});
    } else if (dice.one_in(5)) {
      const auto a = any();
      connect(a, {a});
    } else {
      connect(any(), {any()});
    }
  }
  return made;
}

// Most actors take some time, some overlap themselves.
inline void give_costs(Dice& dice, GraphModel& model) {
  for (auto& actor : model.actors) {
    // As many phases as the actor's ports have.
    std::int64_t initial = 0;
    std::int64_t phases = 1;
    for (const auto& port : actor.ports) {
      initial = std::max(initial, port.rate.initial_phases());
      phases = std::max(phases, port.rate.phases());
    }
    std::vector<PhaseRun> first;
    for (std::int64_t i = 0; i < initial; ++i) first.push_back({1, dice.roll(0, 9)});
    std::vector<PhaseRun> periodic;
    for (std::int64_t i = 0; i < phases; ++i) periodic.push_back({1, dice.roll(0, 9)});
    if (!dice.one_in(6)) actor.cost = PhaseSequence(std::move(first), std::move(periodic));
    actor.concurrency = model.semantics == Semantics::sdf3 ? 0
                        : dice.one_in(3)                   ? dice.roll(0, 3)
                                                           : 1;
  }
}

// One firing at a time, any enabled actor next, messages counted one channel and reader at a time.
class Naive {
 public:
  // Per channel; 0 or less: without bound.
  Naive(const GraphModel& model, const std::vector<std::int64_t>& capacities)
      : graph_(plain(model, capacities)), fired_(model.actors.size(), 0) {
    for (const auto& link : graph_.links) messages_.push_back(link.initial);
  }

  // Until nothing can fire, no actor beyond its number in `most`: how often each has fired.
  const std::vector<std::int64_t>& run(const std::vector<std::int64_t>& most, Dice& dice) {
    while (fire_any(most, dice)) {
    }
    return fired_;
  }

  // Whether every actor gets to `target` firings; none goes beyond three times as many and a few,
  // so that channels without bound do not fill for ever.
  bool reaches(const std::vector<std::int64_t>& target, Dice& dice) {
    const auto most = beyond(target);
    for (;;) {
      bool done = true;
      for (std::size_t a = 0; a < fired_.size(); ++a) done = done && fired_[a] >= target[a];
      if (done) return true;
      if (!fire_any(most, dice)) return false;
    }
  }

  static std::vector<std::int64_t> beyond(std::vector<std::int64_t> target) {
    for (auto& n : target) n = 3 * n + 60;
    return target;
  }

 private:
  bool fire_any(const std::vector<std::int64_t>& most, Dice& dice) {
    enabled_.clear();
    for (std::size_t a = 0; a < fired_.size(); ++a) {
      if (fired_[a] < most[a] && may_fire(a)) enabled_.push_back(a);
    }
    if (enabled_.empty()) return false;
    fire(enabled_[static_cast<std::size_t>(
        dice.roll(0, static_cast<std::int64_t>(enabled_.size()) - 1))]);
    return true;
  }

  bool may_fire(std::size_t a) const {
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a && messages_[l] < link.taken.at(fired_[a])) return false;
      // Space is claimed when the firing starts, and what it takes is freed when it ends.
      if (link.writer == a && link.capacity > 0 &&
          messages_[l] + link.sent.at(fired_[a]) > link.capacity) {
        return false;
      }
    }
    return true;
  }

  void fire(std::size_t a) {
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a) messages_[l] -= link.taken.at(fired_[a]);
      if (link.writer == a) messages_[l] += link.sent.at(fired_[a]);
    }
    ++fired_[a];
  }

  PlainGraph graph_;
  std::vector<std::int64_t> fired_;
  std::vector<std::int64_t> messages_;  // per link
  std::vector<std::size_t> enabled_;
};

// The smallest solution of each component, from any.
inline std::vector<std::int64_t> smallest(const Made& made) {
  const auto& model = made.model;
  std::vector<std::size_t> part(model.actors.size());
  std::iota(part.begin(), part.end(), std::size_t{0});
  const auto index = [&](const std::string& name) {
    std::size_t a = 0;
    while (model.actors[a].name != name) ++a;
    return a;
  };
  const auto moves = [&](const Endpoint& end) {
    for (const auto& port : model.actors[index(end.actor)].ports) {
      if (port.name == end.port) return port.rate.sum() > 0;
    }
    return false;
  };
  for (const auto& channel : model.channels) {
    if (!moves(channel.from)) continue;
    for (const auto& to : channel.to) {
      const auto from_part = part[index(channel.from.actor)];
      const auto to_part = part[index(to.actor)];
      std::replace(part.begin(), part.end(), to_part, from_part);
    }
  }
  std::vector<std::int64_t> common(model.actors.size(), 0);
  for (std::size_t a = 0; a < part.size(); ++a) {
    common[part[a]] = std::gcd(common[part[a]], made.cycles[a]);
  }
  std::vector<std::int64_t> result;
  for (std::size_t a = 0; a < part.size(); ++a) result.push_back(made.cycles[a] / common[part[a]]);
  return result;
}

}  // namespace random_graphs
