#include "check/size_goals.hpp"

#include "base/int128.hpp"
#include "check/liveness.hpp"
#include "check/throughput.hpp"

#include <algorithm>

namespace antiphon::analysis {

using relation::Relation;
using relation::WaitKind;

SizeSubject::SizeSubject(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
                         std::int64_t budget)
    : model_(model), repetitions_(repetitions), budget_(budget) {
  std::vector<std::int64_t> bounded;
  for (const auto& channel : model.channels) {
    bounded.push_back(std::max<std::int64_t>(channel.initial, 1));
  }
  relation_ = relation::build(model, &bounded);
  for (std::size_t t = 0; t < relation_.timelines.size(); ++t) {
    const Int128 count = Int128{repetitions[t]} * relation_.timelines[t].phases;
    firings_ = static_cast<std::int64_t>(std::min<Int128>(firings_ + count, INT64_MAX / 8));
  }
}

Relation SizeSubject::with(const std::vector<std::int64_t>& capacities) const {
  Relation result;
  result.timelines = relation_.timelines;
  result.sequences = relation_.sequences;
  result.waits.reserve(relation_.waits.size());
  for (const auto& w : relation_.waits) {
    if (w.kind != WaitKind::space) {
      result.waits.push_back(w);
    } else if (capacities[w.channel] != unlimited_capacity) {
      result.waits.push_back(w);
      result.waits.back().offset = capacities[w.channel] - model_.channels[w.channel].initial;
    }
  }
  return result;
}

SizeProblem SizeSubject::problem() const {
  SizeProblem problem;
  const auto channels = model_.channels.size();
  problem.weight.assign(channels, 1);
  problem.fixed.assign(channels, unlimited_capacity);
  for (std::size_t c = 0; c < channels; ++c) {
    problem.channels.push_back(c);
    problem.least.push_back(std::max<std::int64_t>(model_.channels[c].initial, 1));
  }
  for (const auto& w : relation_.waits) {
    if (w.kind != WaitKind::data) continue;
    const auto most = std::max(relation_.need(w).max(), relation_.gain(w).max());
    problem.least[w.channel] = std::max(problem.least[w.channel], most);
  }
  return problem;
}

void SizeSubject::pay_for_a_look_at_the_graph() {
  budget_ -= 50 + static_cast<std::int64_t>(relation_.waits.size()) * 10;
}

void SizeSubject::pay_for_a_throughput() {
  budget_ -= 4 * firings_;
}

namespace {

void blame(const Relation& relation, std::uint32_t wait, std::vector<std::size_t>& blamed) {
  if (wait == relation::none || relation.waits[wait].kind != WaitKind::space) return;
  const std::size_t channel = relation.waits[wait].channel;
  if (std::find(blamed.begin(), blamed.end(), channel) == blamed.end()) blamed.push_back(channel);
}

}  // namespace

SizeGoal::Answer Lives::ask(const std::vector<std::int64_t>& capacities,
                            std::vector<std::size_t>& blamed) {
  subject_.pay_for_a_look_at_the_graph();
  const auto relation = subject_.with(capacities);
  const auto found = examine(relation, subject_.repetitions(), Kinds{}, subject_.budget());
  blamed.clear();
  if (found.stuck.empty()) return found.undecided ? Answer::undecided : Answer::holds;
  for (const auto& hop : found.stuck.front().path) blame(relation, hop.wait, blamed);
  return Answer::fails;
}

SizeGoal::Answer IsAsFast::ask(const std::vector<std::int64_t>& capacities,
                               std::vector<std::size_t>& blamed) {
  const auto lives = Lives(subject_).ask(capacities, blamed);
  if (lives != Answer::holds) return lives;
  auto relation = subject_.with(capacities);
  if (of_) relation.index();
  const auto found =
      throughput(relation, subject_.repetitions(),
                 {.timed = {}, .budget = std::max<std::int64_t>(subject_.budget(), 0), .of = of_});
  subject_.pay_for_a_throughput();
  if (found.state != Throughput::State::exact) return Answer::undecided;
  if (than_ == Than::less ? found.period < period_ : !(period_ < found.period))
    return Answer::holds;
  for (const auto& firing : found.cycle.firings) blame(relation, firing.wait, blamed);
  return Answer::fails;
}

std::vector<std::int64_t> message_sizes(const GraphModel& model,
                                        const relation::Relation& relation) {
  std::vector<std::int64_t> result;
  result.reserve(model.channels.size());
  for (const auto& channel : model.channels) {
    result.push_back(static_cast<std::int64_t>(channel.type.size));
  }
  const auto consider = [&](std::uint32_t channel, relation::TimelineId actor, std::uint32_t port) {
    const auto& type = model.actors[actor].ports[port].type;
    result[channel] = std::max(result[channel], static_cast<std::int64_t>(type.size));
  };
  for (const auto& wait : relation.waits) {
    if (wait.kind != relation::WaitKind::data) continue;
    if (wait.reader == 0) consider(wait.channel, wait.source, wait.source_port);
    consider(wait.channel, wait.waiter, wait.waiter_port);
  }
  return result;
}

std::vector<std::int64_t> message_weights(const GraphModel& model,
                                          const relation::Relation& relation) {
  auto result = message_sizes(model, relation);
  for (auto& size : result) size = std::max<std::int64_t>(size, 1);
  return result;
}

}  // namespace antiphon::analysis
