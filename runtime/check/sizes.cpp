#include <antiphon/sizes.hpp>

#include "check/blocks.hpp"
#include "check/check_graph.hpp"
#include "check/liveness.hpp"
#include "check/size_search.hpp"
#include "check/throughput.hpp"
#include "check/timed_component.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace antiphon {

namespace {

using analysis::SizeGoal;
using analysis::unlimited_capacity;
using relation::Relation;
using relation::Wait;
using relation::WaitKind;

// The graph with every channel bounded, from which each question takes what it needs.
class Subject {
 public:
  Subject(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
          std::int64_t budget)
      : model_(model), repetitions_(repetitions), budget_(budget) {
    std::vector<std::int64_t> bounded;
    for (const auto& channel : model.channels) {
      bounded.push_back(std::max<std::int64_t>(channel.initial, 1));
    }
    relation_ = relation::build(model, &bounded);
    firings_ = 0;
    for (std::size_t t = 0; t < relation_.timelines.size(); ++t) {
      Int128 count = Int128{repetitions[t]} * relation_.timelines[t].phases;
      firings_ = static_cast<std::int64_t>(std::min<Int128>(firings_ + count, INT64_MAX / 2));
    }
  }

  const Relation& relation() const { return relation_; }
  const std::vector<std::int64_t>& repetitions() const { return repetitions_; }

  // With these capacities; no space waits for those that are unlimited.
  Relation with(const std::vector<std::int64_t>& capacities) const {
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

  std::int64_t& budget() { return budget_; }
  bool may_go_on() const { return budget_ > 0; }
  // A look at the whole graph.
  void pay_for_a_look() { budget_ -= 50 + static_cast<std::int64_t>(relation_.waits.size()) * 10; }
  std::int64_t firings() const { return firings_; }

 private:
  const GraphModel& model_;
  const std::vector<std::int64_t>& repetitions_;
  Relation relation_;
  std::int64_t budget_;
  std::int64_t firings_ = 0;
};

void blame(const Relation& relation, std::uint32_t wait, std::vector<std::size_t>& blamed) {
  if (wait == relation::none || relation.waits[wait].kind != WaitKind::space) return;
  const std::size_t channel = relation.waits[wait].channel;
  if (std::find(blamed.begin(), blamed.end(), channel) == blamed.end()) blamed.push_back(channel);
}

class Lives : public SizeGoal {
 public:
  explicit Lives(Subject& subject) : subject_(subject) {}

  Answer ask(const std::vector<std::int64_t>& capacities,
             std::vector<std::size_t>& blamed) override {
    subject_.pay_for_a_look();
    const auto relation = subject_.with(capacities);
    const auto found =
        analysis::examine(relation, subject_.repetitions(), analysis::Kinds{}, subject_.budget());
    blamed.clear();
    if (found.stuck.empty()) return found.undecided ? Answer::undecided : Answer::holds;
    for (const auto& hop : found.stuck.front().path) blame(relation, hop.wait, blamed);
    return Answer::fails;
  }

 private:
  Subject& subject_;
};

class IsAsFast : public SizeGoal {
 public:
  IsAsFast(Subject& subject, const Rational& period) : subject_(subject), period_(period) {}

  Answer ask(const std::vector<std::int64_t>& capacities,
             std::vector<std::size_t>& blamed) override {
    const auto lives = Lives(subject_).ask(capacities, blamed);
    if (lives != Answer::holds) return lives;
    const auto relation = subject_.with(capacities);
    const auto found =
        analysis::throughput(relation, subject_.repetitions(),
                             {.timed = {}, .budget = std::max<std::int64_t>(subject_.budget(), 0)});
    subject_.budget() -= 4 * subject_.firings();
    if (found.state != analysis::Throughput::State::exact) return Answer::undecided;
    if (!(period_ < found.period)) return Answer::holds;
    for (const auto& firing : found.cycle.firings) blame(relation, firing.wait, blamed);
    return Answer::fails;
  }

 private:
  Subject& subject_;
  Rational period_;
};

Fraction fraction(const Rational& value) {
  return {value.numerator(), value.denominator()};
}

Sizing to_sizing(const analysis::SizeResult& found) {
  Sizing sizing;
  using State = analysis::SizeResult::State;
  switch (found.state) {
    case State::least:
      sizing.state = Sizing::State::least;
      break;
    case State::found:
      sizing.state = Sizing::State::found;
      break;
    case State::impossible:
      sizing.state = Sizing::State::impossible;
      break;
    case State::undecided:
      sizing.state = Sizing::State::undecided;
      break;
  }
  sizing.total = found.total;
  sizing.bound = found.state == State::least ? found.total : found.bound;
  for (const auto c : found.capacities) {
    sizing.capacities.push_back(c == unlimited_capacity ? 0 : c);
  }
  return sizing;
}

// In SDF3 files this is how an actor is kept from overlapping itself: no channel that anything lies
// in.
bool only_serialises(const Relation& relation, std::uint32_t channel) {
  for (const auto& w : relation.waits) {
    if (w.channel != channel || w.kind != WaitKind::data) continue;
    return analysis::makes_serial(relation, w);
  }
  return false;
}

}  // namespace

Sizes sizes(const Graph& graph, const SizesOptions& options) {
  Sizes result;
  // As if every channel held any number.
  GraphModel model = graph.model();
  result.bytes = model.semantics == Semantics::antiphon;
  for (auto& channel : model.channels) channel.capacity.reset();
  auto outcome = analysis::check_graph(model);
  result.report = std::move(outcome.report);
  for (const auto& channel : model.channels) result.channels.push_back(display_name(channel));
  if (!outcome.graph) return result;

  Subject subject(model, outcome.graph->repetitions(), options.budget);
  analysis::SizeProblem problem;
  problem.weight.assign(model.channels.size(), 1);
  problem.least.assign(model.channels.size(), 1);
  for (std::uint32_t c = 0; c < model.channels.size(); ++c) {
    if (!result.bytes && only_serialises(subject.relation(), c)) continue;
    problem.channels.push_back(c);
    problem.least[c] = std::max<std::int64_t>(model.channels[c].initial, 1);
  }
  for (const auto& w : subject.relation().waits) {
    if (w.kind != WaitKind::data) continue;
    const auto most = std::max(subject.relation().need(w).max(), subject.relation().gain(w).max());
    problem.least[w.channel] = std::max(problem.least[w.channel], most);
  }
  if (result.bytes) {
    for (std::size_t c = 0; c < model.channels.size(); ++c) {
      std::size_t size = model.channels[c].type.size;
      for (const auto& actor : model.actors) {
        for (const auto& port : actor.ports) {
          const auto is = [&](const Endpoint& end) {
            return end.actor == actor.name && end.port == port.name;
          };
          if (is(model.channels[c].from) ||
              std::any_of(model.channels[c].to.begin(), model.channels[c].to.end(), is)) {
            size = std::max(size, port.type.size);
          }
        }
      }
      problem.weight[c] = std::max<std::int64_t>(static_cast<std::int64_t>(size), 1);
    }
  }

  const auto begin = subject.budget();
  Lives lives(subject);
  const auto live =
      analysis::search_sizes(problem, lives, [&] { return subject.budget() > begin / 2; });
  result.live = to_sizing(live);

  const std::vector<std::int64_t> all(model.channels.size(), unlimited_capacity);
  const auto unlimited =
      analysis::throughput(subject.with(all), subject.repetitions(),
                           {.timed = {}, .budget = subject.budget(), .cycle = false});
  subject.budget() -= 4 * subject.firings();
  if (unlimited.state != analysis::Throughput::State::exact) return result;
  result.period = fraction(unlimited.period);
  IsAsFast fast(subject, unlimited.period);
  if (unlimited.period == Rational(0)) {
    // A channel between actors that take time is never fast enough for that.
    std::vector<std::size_t> blamed;
    if (live.state == analysis::SizeResult::State::least &&
        fast.ask(live.capacities, blamed) == SizeGoal::Answer::holds) {
      result.full = result.live;
    } else {
      result.full.state = Sizing::State::impossible;
    }
    return result;
  }
  if (live.state == analysis::SizeResult::State::least) {
    // What is as fast lives, so it is no cheaper.
    const auto full = analysis::search_sizes(problem, fast, [&] { return subject.may_go_on(); });
    result.full = to_sizing(full);
    result.full.period = result.period;
  }
  return result;
}

}  // namespace antiphon
