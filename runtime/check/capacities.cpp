#include "check/capacities.hpp"

#include "base/int128.hpp"
#include "check/cure.hpp"
#include "check/size_goals.hpp"
#include "check/throughput.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace antiphon::analysis {

namespace {

// Gives the space waits of some channels their offsets.
template <typename Of>
void set_capacities(const GraphModel& model, const std::vector<std::int64_t>& capacities,
                    const Of& of, relation::Relation& relation) {
  for (auto& w : relation.waits) {
    if (w.kind != relation::WaitKind::space || !of(w.channel)) continue;
    w.offset = capacities[w.channel] - model.channels[w.channel].initial;
  }
}

}  // namespace

Sized build_sized(const GraphModel& model, const Ends& ends) {
  Sized sized;
  auto& capacities = sized.capacities;
  const bool bounded = model.semantics != Semantics::sdf3;
  for (const auto& channel : model.channels) {
    capacities.push_back(
        channel.capacity.value_or(bounded ? std::max<std::int64_t>(channel.initial, 1) : 0));
  }
  sized.relation = relation::build(model, ends, &capacities);
  if (!bounded) return sized;
  // The relation knows by now who the ends are: what most moves in one firing is asked of it.
  std::vector<Int128> most(model.channels.size(), 0);
  for (const auto& w : sized.relation.waits) {
    if (w.kind != relation::WaitKind::data) continue;
    const auto both = Int128{sized.relation.gain(w).max()} + sized.relation.need(w).max();
    most[w.channel] = std::max(most[w.channel], both);
  }
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    const auto& channel = model.channels[c];
    if (channel.capacity) continue;
    capacities[c] = static_cast<std::int64_t>(std::clamp<Int128>(
        channel.initial + 2 * most[c], 1, std::max(PhaseSequence::limit, channel.initial)));
  }
  set_capacities(
      model, capacities, [](std::uint32_t) { return true; }, sized.relation);
  return sized;
}

void grow_capacities(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                     std::int64_t budget, std::vector<std::int64_t>& capacities,
                     relation::Relation& relation, Liveness& liveness) {
  CureOptions options;
  options.kind = relation::WaitKind::space;
  // Nobody has to write these down: on a large graph they may be larger than they must be.
  options.most_for_small = 1'000'000;
  options.most_single_paths = 4;
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
  set_capacities(
      model, capacities, [&](std::uint32_t c) { return grown.count(c) != 0; }, relation);
}

void fit_capacities(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                    std::vector<std::int64_t>& capacities, relation::Relation& relation) {
  if (model.semantics == Semantics::sdf3) return;
  const bool timed = std::all_of(model.actors.begin(), model.actors.end(),
                                 [](const ActorModel& actor) { return actor.cost.has_value(); });
  if (!timed) return;
  const auto is_auto = [&](std::size_t c) { return !model.channels[c].capacity.has_value(); };
  // Some tens of milliseconds.
  constexpr std::int64_t most_steps = 4'000'000;
  SizeSubject subject(model, repetitions, most_steps);
  auto problem = subject.problem();
  problem.weight = message_weights(model, subject.relation());
  problem.channels.clear();
  for (std::size_t c = 0; c < capacities.size(); ++c) {
    problem.fixed[c] = capacities[c];
    if (is_auto(c)) problem.channels.push_back(c);
  }
  if (problem.channels.empty()) return;
  auto unlimited = problem.fixed;
  for (const auto c : problem.channels) unlimited[c] = unlimited_capacity;
  const auto best = throughput(subject.with(unlimited), repetitions,
                               {.timed = {}, .budget = most_steps / 4, .cycle = false});
  if (best.state != Throughput::State::exact || best.period == Rational(0)) return;
  subject.pay_for_a_throughput();
  IsAsFast goal(subject, best.period);
  SizeCuts cuts;
  const auto found = search_sizes(
      problem, goal, [&] { return subject.may_go_on(); }, cuts);
  if (found.capacities.empty()) return;
  capacities = found.capacities;
  set_capacities(model, capacities, is_auto, relation);
}

bool give_room(const GraphModel& model, relation::Relation& relation) {
  bool any = false;
  for (auto& w : relation.waits) {
    if (w.kind != relation::WaitKind::space || model.channels[w.channel].capacity) continue;
    w.offset = std::max<std::int64_t>(PhaseSequence::limit - model.channels[w.channel].initial, 0);
    any = true;
  }
  return any;
}

}  // namespace antiphon::analysis
