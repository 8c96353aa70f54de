// Random graphs that run, and what their actors must see: by queues without bounds, one firing at a
// time, with nothing of the library's.
#pragma once

#include "graph/model.hpp"
#include "kernels/kernel_interface.hpp"

#include <antiphon/antiphon.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace random_runs {

using namespace antiphon;

using Word = std::uint32_t;

inline Word mixed(Word a, Word b) {
  a ^= b + 0x9e3779b9U + (a << 6) + (a >> 2);
  return a * 0x85ebca6bU;
}

// What every actor does: takes all that it is given into its state, and sends what the state makes
// of it.
struct Folding {
  Word state = 0;
  template <typename Take, typename Give>
  void fire(const std::vector<bool>& inputs, const std::vector<std::size_t>& messages, Take take,
            Give give) {
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      if (!inputs[p]) continue;
      for (std::size_t i = 0; i < messages[p]; ++i) state = mixed(state, take(p, i));
    }
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      if (inputs[p]) continue;
      for (std::size_t i = 0; i < messages[p]; ++i) {
        give(p, i, mixed(state, static_cast<Word>(p * 1000 + i)));
      }
    }
  }
};

// The same on windows: of a CPU actor's firing, or of a kernel's.
inline void fire_on(Folding& folding, const std::vector<bool>& inputs,
                    const std::vector<std::span<std::byte>>& windows) {
  std::vector<std::size_t> messages;
  for (const auto& window : windows) messages.push_back(window.size() / sizeof(Word));
  folding.fire(
      inputs, messages,
      [&](std::size_t p, std::size_t i) {
        Word value = 0;
        std::memcpy(&value, windows[p].data() + i * sizeof value, sizeof value);
        return value;
      },
      [&](std::size_t p, std::size_t i, Word value) {
        std::memcpy(windows[p].data() + i * sizeof value, &value, sizeof value);
      });
}

// And as a kernel in one invocation.
inline std::string glsl(const std::vector<bool>& inputs) {
  std::string text = "#version 450\nlayout(local_size_x = 1) in;\n";
  std::string body;
  for (std::size_t p = 0; p < inputs.size(); ++p) {
    const auto n = std::to_string(p);
    text += "layout(std430, set = 0, binding = " + n + ") " +
            (inputs[p] ? "readonly" : "writeonly") + " buffer P" + n + " { uint p" + n + "[]; };\n";
    const auto each = "  for (uint i = 0; i < p" + n + ".length(); ++i) ";
    if (inputs[p]) {
      body += each + "state = mixed(state, p" + n + "[i]);\n";
    }
  }
  for (std::size_t p = 0; p < inputs.size(); ++p) {
    const auto n = std::to_string(p);
    if (inputs[p]) continue;
    body += "  for (uint i = 0; i < p" + n + ".length(); ++i) p" + n + "[i] = mixed(state, " + n +
            "000u + i);\n";
  }
  return text +
         "uint mixed(uint a, uint b) {\n"
         "  a ^= b + 0x9e3779b9u + (a << 6) + (a >> 2);\n"
         "  return a * 0x85ebca6bu;\n}\n"
         "void main() {\n  uint state = 0;\n" +
         body + "}\n";
}

// Kernels by what their ports are, each compiled once.
class KernelShelf {
 public:
  Kernel get(const std::vector<bool>& inputs) {
    auto& words = compiled_[inputs];
    if (words.empty()) {
      words = kernels::compile(Kernel::from_glsl(glsl(inputs), "folding")).value_or_throw();
    }
    return Kernel{words}.groups(1);
  }

 private:
  std::map<std::vector<bool>, std::vector<std::uint32_t>> compiled_;
};

struct Random {
  std::mt19937 engine;
  // Both ends included. By remainder, so that every standard library draws the same.
  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool one_in(std::int64_t n) { return draw(1, n) == 1; }
};

struct Shape {
  std::int64_t most_actors = 7;
  std::int64_t gpu = 0;      // of four actors so many run on the GPU, about
  bool all_bounded = false;  // all capacities are given, and may be too small
};

// A sequence of `phases` values that sum to `sum`, none below `least`.
inline PhaseSequence spread_over(Random& random, std::int64_t sum, std::int64_t phases,
                                 std::int64_t initial, std::int64_t least) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(phases), least);
  for (std::int64_t i = least * phases; i < sum; ++i)
    ++values[static_cast<std::size_t>(random.draw(0, phases - 1))];
  std::vector<PhaseRun> first;
  for (std::int64_t i = 0; i < initial; ++i) first.push_back({1, random.draw(least, 3)});
  std::vector<PhaseRun> runs;
  for (const auto value : values) runs.push_back({1, value});
  return PhaseSequence(first, runs);
}

// Consistent by construction: repetitions first, then rates that keep them. Connected.
inline GraphModel make(Random& random, const Shape& shape) {
  GraphModel model;
  model.name = "random";
  const auto actors = random.draw(2, shape.most_actors);
  std::vector<std::int64_t> q;
  std::vector<std::int64_t> phases;
  std::vector<std::int64_t> initial_phases;
  for (std::int64_t a = 0; a < actors; ++a) {
    ActorModel actor;
    actor.name = "a" + std::to_string(a);
    if (random.draw(1, 4) <= shape.gpu) actor.side = Side::gpu;
    // What an actor keeps between firings has no order when several run at once.
    if (random.one_in(4)) actor.concurrency = random.one_in(2) ? 0 : random.draw(2, 4);
    model.actors.push_back(actor);
    q.push_back(random.draw(1, 4));
    phases.push_back(random.draw(1, 3));
    initial_phases.push_back(random.one_in(5) ? random.draw(1, 2) : 0);
  }
  const auto add_port = [&](std::int64_t a, Direction direction, std::int64_t sum) {
    const auto i = static_cast<std::size_t>(a);
    auto& actor = model.actors[i];
    Port port;
    port.direction = direction;
    port.name = "p" + std::to_string(actor.ports.size());
    // A kernel learns from its windows how many messages there are, and no window is empty.
    port.rate =
        spread_over(random, sum, phases[i], initial_phases[i], actor.side == Side::gpu ? 1 : 0);
    port.type = message_type<Word>();
    actor.ports.push_back(port);
    return Endpoint{actor.name, port.name, {}};
  };
  const auto connect = [&](std::int64_t from, std::vector<std::int64_t> to, std::int64_t initial) {
    auto common = q[static_cast<std::size_t>(from)];
    std::int64_t times = random.draw(1, 2);
    auto ends = to;
    ends.push_back(from);
    for (const auto end : ends) {
      const auto i = static_cast<std::size_t>(end);
      common = std::lcm(common, q[i]);
      if (model.actors[i].side == Side::gpu) times = std::lcm(times, phases[i]);
    }
    const auto messages = common * times;
    ChannelModel channel;
    channel.from = add_port(from, Direction::out, messages / q[static_cast<std::size_t>(from)]);
    auto most = model.actors[static_cast<std::size_t>(from)].ports.back().rate.max();
    for (const auto t : to) {
      const auto i = static_cast<std::size_t>(t);
      channel.to.push_back(add_port(t, Direction::in, messages / q[i]));
      most = std::max(most, model.actors[i].ports.back().rate.max());
    }
    channel.initial = initial;
    for (std::int64_t i = 0; i < initial; ++i) {
      const auto value = static_cast<Word>(random.draw(1, 1'000'000));
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      channel.initial_values.insert(channel.initial_values.end(), bytes, bytes + sizeof value);
    }
    if (shape.all_bounded) {
      channel.capacity = std::max({most + random.draw(0, 2 * most), initial, std::int64_t{1}});
    } else if (random.one_in(2)) {
      channel.capacity = initial + random.draw(1, 30);
    }
    model.channels.push_back(channel);
  };
  for (std::int64_t a = 1; a < actors; ++a) {
    std::vector<std::int64_t> readers{a};
    if (random.one_in(4)) readers.push_back(random.draw(a, actors - 1));
    if (readers.size() == 2 && readers[0] == readers[1]) readers.pop_back();
    connect(random.draw(0, a - 1), readers, random.draw(0, 2));
  }
  for (auto extra = random.draw(0, 2); extra > 0; --extra) {
    const auto from = random.draw(0, actors - 1);
    const auto to = random.draw(0, actors - 1);
    connect(from, {to}, from < to ? random.draw(0, 3) : random.draw(2, 40));
  }
  return model;
}

// Kernels keep nothing; nor does an actor whose firings may run at once.
inline bool keeps_state(const ActorModel& actor) {
  return actor.side == Side::cpu && actor.concurrency == 1;
}

inline std::vector<bool> inputs_of(const ActorModel& actor) {
  std::vector<bool> inputs;
  for (const auto& port : actor.ports) inputs.push_back(port.direction == Direction::in);
  return inputs;
}

// Gives actors what they run. What those that keep state have in the end stands in `states`.
inline void give_functions(GraphModel& model, const std::shared_ptr<std::vector<Word>>& states,
                           KernelShelf& kernels) {
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    auto& actor = model.actors[a];
    const auto inputs = inputs_of(actor);
    if (actor.side == Side::gpu) {
      actor.kernel = std::make_shared<const Kernel>(kernels.get(inputs));
      continue;
    }
    actor.function = CpuFunction::raw([inputs, states, a, keeps = keeps_state(actor),
                                       folding = Folding{}](const Firing& firing) mutable {
      if (!keeps) folding = {};
      std::vector<std::span<std::byte>> windows;
      for (std::size_t p = 0; p < inputs.size(); ++p) {
        windows.emplace_back(firing.window(p).data, firing.window(p).bytes);
      }
      fire_on(folding, inputs, windows);
      if (keeps) (*states)[a] = folding.state;
      return Flow::more;
    });
  }
}

struct Naive {
  std::vector<std::int64_t> fired;
  std::vector<Word> states;  // of those that keep any
};

// Every actor as often as its target says, or as it can. `capacities` is empty, or has one number
// for each channel: then no channel ever holds more, room counting from a firing's start to the end
// of its last reader's.
inline Naive run_naively(const GraphModel& model, const std::vector<std::int64_t>& targets,
                         const std::vector<std::int64_t>& capacities = {}) {
  const auto count = model.actors.size();
  std::vector<Folding> actors(count);
  std::vector<std::int64_t> fired(count, 0);
  struct Feed {
    std::size_t channel = 0;
    std::deque<Word> waiting;
  };
  std::map<std::string, Feed> feeds;  // by the reader's "actor.port"
  std::map<std::string, std::pair<std::size_t, std::vector<std::string>>> readers;
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    const auto& channel = model.channels[c];
    auto& [index, names] = readers[channel.from.actor + "." + channel.from.port];
    index = c;
    for (const auto& to : channel.to) {
      names.push_back(to.actor + "." + to.port);
      auto& feed = feeds[names.back()];
      feed.channel = c;
      for (std::int64_t i = 0; i < channel.initial; ++i) {
        Word value = 0;
        std::memcpy(&value,
                    channel.initial_values.data() + static_cast<std::size_t>(i) * sizeof value,
                    sizeof value);
        feed.waiting.push_back(value);
      }
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t a = 0; a < count; ++a) {
      const auto& actor = model.actors[a];
      const auto inputs = inputs_of(actor);
      while (fired[a] < targets[a]) {
        bool ready = true;
        std::vector<std::size_t> messages;
        for (const auto& port : actor.ports) {
          const auto rate = static_cast<std::size_t>(port.rate.at(fired[a]));
          messages.push_back(rate);
          if (port.direction == Direction::in) {
            ready = ready && feeds[actor.name + "." + port.name].waiting.size() >= rate;
          } else if (!capacities.empty()) {
            const auto& [channel, names] = readers[actor.name + "." + port.name];
            for (const auto& name : names) {
              const auto room = static_cast<std::size_t>(capacities[channel]);
              ready = ready && feeds[name].waiting.size() + rate <= room;
            }
          }
        }
        if (!ready) break;
        if (!keeps_state(actor)) actors[a] = {};
        actors[a].fire(
            inputs, messages,
            [&](std::size_t p, std::size_t) {
              auto& waiting = feeds[actor.name + "." + actor.ports[p].name].waiting;
              const auto value = waiting.front();
              waiting.pop_front();
              return value;
            },
            [&](std::size_t p, std::size_t, Word value) {
              for (const auto& to : readers[actor.name + "." + actor.ports[p].name].second) {
                feeds[to].waiting.push_back(value);
              }
            });
        ++fired[a];
        moved = true;
      }
    }
  }
  Naive result{fired, {}};
  for (std::size_t a = 0; a < count; ++a) {
    result.states.push_back(keeps_state(model.actors[a]) ? actors[a].state : 0);
  }
  return result;
}

// The least that each actor fires in so many iterations.
inline std::vector<std::int64_t> least_firings(const GraphModel& model, const Report& report,
                                               std::int64_t iterations) {
  std::vector<std::int64_t> result;
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    std::int64_t initial = 0;
    for (const auto& port : model.actors[a].ports) {
      initial = std::max(initial, port.rate.initial_phases());
    }
    result.push_back(initial + iterations * report.actors[a].firings);
  }
  return result;
}

}  // namespace random_runs
