// Random graphs that the check calls live, run: every actor must see the right messages in the
// right order.
#include "graph/model.hpp"

#include <antiphon/antiphon.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

using namespace antiphon;

namespace {

using Word = std::uint64_t;

Word mixed(Word a, Word b) {
  a ^= b + 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2);
  return a * 0xff51afd7ed558ccdU;
}

// What every actor does: takes all that it is given into its state, and sends what the state makes
// of it.
struct Folding {
  Word state = 0;
  template <typename Take, typename Give>
  void fire(std::size_t ports, const std::vector<bool>& inputs,
            const std::vector<std::size_t>& messages, Take take, Give give) {
    for (std::size_t p = 0; p < ports; ++p) {
      if (!inputs[p]) continue;
      for (std::size_t i = 0; i < messages[p]; ++i) state = mixed(state, take(p, i));
    }
    for (std::size_t p = 0; p < ports; ++p) {
      if (inputs[p]) continue;
      for (std::size_t i = 0; i < messages[p]; ++i) give(p, i, mixed(state, p * 1000 + i));
    }
  }
};

struct Random {
  std::mt19937 engine;
  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine);
  }
};

// A sequence of `phases` values that sum to `sum`.
PhaseSequence spread_over(Random& random, std::int64_t sum, std::int64_t phases,
                          std::int64_t initial) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(phases), 0);
  for (std::int64_t i = 0; i < sum; ++i)
    ++values[static_cast<std::size_t>(random.draw(0, phases - 1))];
  std::vector<PhaseRun> first;
  for (std::int64_t i = 0; i < initial; ++i) first.push_back({1, random.draw(0, 3)});
  std::vector<PhaseRun> runs;
  for (const auto value : values) runs.push_back({1, value});
  return PhaseSequence(first, runs);
}

// Consistent by construction: repetitions first, then rates that keep them.
GraphModel random_graph(Random& random) {
  GraphModel model;
  model.name = "random";
  const auto actors = random.draw(2, 7);
  std::vector<std::int64_t> q;
  std::vector<std::int64_t> phases;
  std::vector<std::int64_t> initial_phases;
  for (std::int64_t a = 0; a < actors; ++a) {
    ActorModel actor;
    actor.name = "a" + std::to_string(a);
    // What an actor keeps between firings has no order when several run at once.
    if (random.draw(0, 3) == 0) actor.concurrency = random.draw(0, 1) == 0 ? 0 : random.draw(2, 4);
    model.actors.push_back(actor);
    q.push_back(random.draw(1, 4));
    phases.push_back(random.draw(1, 3));
    initial_phases.push_back(random.draw(0, 4) == 0 ? random.draw(1, 2) : 0);
  }
  const auto add_port = [&](std::int64_t a, Direction direction, std::int64_t sum) {
    auto& actor = model.actors[static_cast<std::size_t>(a)];
    Port port;
    port.direction = direction;
    port.name = "p" + std::to_string(actor.ports.size());
    port.rate = spread_over(random, sum, phases[static_cast<std::size_t>(a)],
                            initial_phases[static_cast<std::size_t>(a)]);
    port.type = message_type<Word>();
    actor.ports.push_back(port);
    return Endpoint{actor.name, port.name, {}};
  };
  const auto connect = [&](std::int64_t from, std::vector<std::int64_t> to, std::int64_t initial) {
    std::int64_t common = q[static_cast<std::size_t>(from)];
    for (const auto t : to) common = std::lcm(common, q[static_cast<std::size_t>(t)]);
    const auto tokens = common * random.draw(1, 2);
    ChannelModel channel;
    channel.from = add_port(from, Direction::out, tokens / q[static_cast<std::size_t>(from)]);
    for (const auto t : to) {
      channel.to.push_back(add_port(t, Direction::in, tokens / q[static_cast<std::size_t>(t)]));
    }
    channel.initial = initial;
    for (std::int64_t i = 0; i < initial; ++i) {
      const Word value = static_cast<Word>(random.draw(1, 1'000'000));
      const auto* bytes = reinterpret_cast<const std::byte*>(&value);
      channel.initial_values.insert(channel.initial_values.end(), bytes, bytes + sizeof value);
    }
    if (random.draw(0, 1) == 0) channel.capacity = initial + random.draw(1, 30);
    model.channels.push_back(channel);
  };
  for (std::int64_t a = 1; a < actors; ++a) {
    std::vector<std::int64_t> readers{a};
    if (random.draw(0, 3) == 0) readers.push_back(random.draw(a, actors - 1));
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

bool keeps_state(const ActorModel& actor) {
  return actor.concurrency == 1;
}

struct Shape {
  std::vector<bool> inputs;
  std::vector<PhaseSequence> rates;
};

Shape shape_of(const ActorModel& actor) {
  Shape shape;
  for (const auto& port : actor.ports) {
    shape.inputs.push_back(port.direction == Direction::in);
    shape.rates.push_back(port.rate);
  }
  return shape;
}

void give_functions(GraphModel& model, const std::shared_ptr<std::vector<Word>>& states) {
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    const auto shape = shape_of(model.actors[a]);
    const bool keeps = keeps_state(model.actors[a]);
    model.actors[a].function = CpuFunction::raw(
        [shape, states, a, keeps, folding = Folding{}](const Firing& firing) mutable {
          if (!keeps) folding = {};
          std::vector<std::size_t> messages;
          for (std::size_t p = 0; p < shape.inputs.size(); ++p)
            messages.push_back(firing.window(p).messages);
          const auto at = [&](std::size_t p, std::size_t i) {
            return firing.window(p).data + i * sizeof(Word);
          };
          folding.fire(
              messages.size(), shape.inputs, messages,
              [&](std::size_t p, std::size_t i) {
                Word value = 0;
                std::memcpy(&value, at(p, i), sizeof value);
                return value;
              },
              [&](std::size_t p, std::size_t i, Word value) {
                std::memcpy(at(p, i), &value, sizeof value);
              });
          if (keeps) (*states)[a] = folding.state;
          return Flow::more;
        });
  }
}

// The same with queues without bounds, one firing at a time: nothing of the library's.
std::vector<Word> expected_states(const GraphModel& model,
                                  const std::vector<std::int64_t>& target) {
  const auto count = model.actors.size();
  std::vector<Folding> actors(count);
  std::vector<std::int64_t> fired(count, 0);
  std::map<std::string, std::deque<Word>> queues;  // by reader's "actor.port"
  std::map<std::string, std::vector<std::string>> readers;
  for (const auto& channel : model.channels) {
    for (const auto& to : channel.to) {
      readers[channel.from.actor + "." + channel.from.port].push_back(to.actor + "." + to.port);
      auto& queue = queues[to.actor + "." + to.port];
      for (std::int64_t i = 0; i < channel.initial; ++i) {
        Word value = 0;
        std::memcpy(&value,
                    channel.initial_values.data() + static_cast<std::size_t>(i) * sizeof value,
                    sizeof value);
        queue.push_back(value);
      }
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t a = 0; a < count; ++a) {
      const auto& actor = model.actors[a];
      while (fired[a] < target[a]) {
        bool fed = true;
        std::vector<std::size_t> messages;
        for (const auto& port : actor.ports) {
          messages.push_back(static_cast<std::size_t>(port.rate.at(fired[a])));
          if (port.direction == Direction::in) {
            fed = fed && queues[actor.name + "." + port.name].size() >= messages.back();
          }
        }
        if (!fed) break;
        const auto shape = shape_of(actor);
        if (!keeps_state(actor)) actors[a] = {};
        actors[a].fire(
            messages.size(), shape.inputs, messages,
            [&](std::size_t p, std::size_t) {
              auto& queue = queues[actor.name + "." + actor.ports[p].name];
              const auto value = queue.front();
              queue.pop_front();
              return value;
            },
            [&](std::size_t p, std::size_t, Word value) {
              for (const auto& to : readers[actor.name + "." + actor.ports[p].name])
                queues[to].push_back(value);
            });
        ++fired[a];
        moved = true;
      }
    }
  }
  REQUIRE(fired == target);
  std::vector<Word> states;
  for (std::size_t a = 0; a < count; ++a) {
    states.push_back(keeps_state(model.actors[a]) ? actors[a].state : 0);
  }
  return states;
}

}  // namespace

TEST_CASE("random live graphs see the right messages, overlapped and in sequence") {
  Random random{std::mt19937{2026}};
  Runtime runtime({.workers = 3});
  int live = 0;
  int realigned = 0;
  for (int round = 0; round < 400; ++round) {
    auto model = random_graph(random);
    const auto states = std::make_shared<std::vector<Word>>(model.actors.size());
    give_functions(model, states);
    const Graph graph(model);
    const auto report = check(graph);
    if (report.verdict != Verdict::valid) continue;
    ++live;
    const auto plan = runtime.plan(graph);
    for (const auto& ring : plan.rings()) realigned += ring.realigned ? 1 : 0;
    for (const auto order : {Order::overlapped, Order::sequential}) {
      CAPTURE(round);
      states->assign(model.actors.size(), 0);
      const auto run = runtime.run(plan, {.iterations = 3, .order = order});
      std::vector<std::int64_t> fired;
      for (std::size_t a = 0; a < model.actors.size(); ++a) {
        fired.push_back(run.actors[a].firings);
        std::int64_t initial = 0;
        for (const auto& port : model.actors[a].ports) {
          initial = std::max(initial, port.rate.initial_phases());
        }
        REQUIRE(fired[a] >= initial + 3 * report.actors[a].firings);
      }
      REQUIRE(*states == expected_states(model, fired));
    }
  }
  // Enough of each kind for this to mean something.
  CHECK(live > 100);
  CHECK(realigned > 50);
}
