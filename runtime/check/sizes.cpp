#include <antiphon/sizes.hpp>

#include "base/rational.hpp"
#include "check/check_graph.hpp"
#include "check/size_goals.hpp"
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
using relation::WaitKind;

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

// All that is asked, one question after another; what one finds out helps the next.
class Answers {
 public:
  Answers(analysis::SizeSubject& subject, const analysis::SizeProblem& problem,
          const SizesOptions& options)
      : subject_(subject), problem_(problem), options_(options) {}

  void find(Sizes& result) {
    const auto begin = subject_.budget();
    analysis::Lives lives(subject_);
    analysis::SizeCuts cuts;
    live_ = analysis::search_sizes(
        problem_, lives, [&] { return subject_.budget() > begin / 2; }, cuts);
    result.live = to_sizing(live_);
    if (live_.state != State::least) return;

    const std::vector<std::int64_t> all(problem_.weight.size(), unlimited_capacity);
    const auto best = period(all);
    if (!best) return;
    result.period = fraction(*best);
    // What is as fast lives, so it is no cheaper.
    result.full = fast(*best, Than::at_most, cuts, result.live);
    if (options_.period) {
      auto with_these = cuts;
      result.asked = fast(Rational(options_.period->numerator, options_.period->denominator),
                          Than::at_most, with_these, result.live);
    }
    if (options_.front) find_front(*best, std::move(cuts), result);
  }

 private:
  using State = analysis::SizeResult::State;
  using Than = analysis::IsAsFast::Than;

  std::optional<Rational> period(const std::vector<std::int64_t>& capacities) {
    const auto found = analysis::throughput(
        subject_.with(capacities), subject_.repetitions(),
        {.timed = {}, .budget = std::max<std::int64_t>(subject_.budget(), 0), .cycle = false});
    subject_.pay_for_a_throughput();
    if (found.state != analysis::Throughput::State::exact) return std::nullopt;
    return found.period;
  }

  // `cuts`: of questions that ask no more than this one; its own are added where it is the last.
  Sizing fast(const Rational& wanted, Than than, const analysis::SizeCuts& cuts,
              const Sizing& live) {
    analysis::IsAsFast goal(subject_, wanted, than);
    if (than == Than::at_most && wanted == Rational(0)) {
      // A channel between actors that take time is never fast enough for that, so growing one after
      // another would have no end.
      std::vector<std::size_t> blamed;
      if (goal.ask(live_.capacities, blamed) == SizeGoal::Answer::holds) return live;
      Sizing none;
      none.state = Sizing::State::impossible;
      return none;
    }
    auto known = cuts;
    const auto found = analysis::search_sizes(
        problem_, goal, [&] { return subject_.may_go_on(); }, known);
    auto sizing = to_sizing(found);
    if (!found.capacities.empty()) {
      if (const auto reached = period(found.capacities)) sizing.period = fraction(*reached);
    }
    cuts_ = std::move(known);
    return sizing;
  }

  // The cheapest of all that are faster than the one before; of those that cost the same the
  // fastest.
  void find_front(const Rational& best, analysis::SizeCuts cuts, Sizes& result) {
    constexpr std::size_t most_points = 1000;
    auto point = result.live;
    const auto at = period(live_.capacities);
    if (!at) return;
    point.period = fraction(*at);
    auto reached = *at;
    for (;;) {
      if (!result.front.empty() && result.front.back().total == point.total) {
        result.front.pop_back();
      }
      result.front.push_back(point);
      if (!(best < reached)) {
        result.front_whole = true;
        return;
      }
      if (result.front.size() == most_points) return;
      point = fast(reached, Than::less, cuts, result.live);
      if (point.state != Sizing::State::least) return;
      // What is too slow for this is too slow for all that follow.
      cuts = cuts_;
      reached = Rational(point.period.numerator, point.period.denominator);
    }
  }

  analysis::SizeSubject& subject_;
  const analysis::SizeProblem& problem_;
  const SizesOptions& options_;
  analysis::SizeResult live_;
  analysis::SizeCuts cuts_;
};

}  // namespace

Sizes sizes(const Graph& graph, const SizesOptions& options) {
  Sizes result;
  // As if every channel held any number.
  GraphModel model = graph.model();
  result.bytes = model.semantics == Semantics::antiphon;
  for (auto& channel : model.channels) channel.capacity.reset();
  auto outcome = analysis::check_graph(model, {.kernels = false});
  result.report = std::move(outcome.report);
  for (const auto& channel : model.channels) result.channels.push_back(display_name(channel));
  for (const auto& actor : model.actors) result.actors_without_cost += actor.cost ? 0 : 1;
  if (!outcome.graph) return result;

  analysis::SizeSubject subject(model, outcome.graph->repetitions(), options.budget);
  auto problem = subject.problem();
  if (result.bytes) {
    problem.weight = analysis::message_weights(model, subject.relation());
  } else {
    const auto serialises = [&](std::size_t c) {
      return only_serialises(subject.relation(), static_cast<std::uint32_t>(c));
    };
    auto& channels = problem.channels;
    channels.erase(std::remove_if(channels.begin(), channels.end(), serialises), channels.end());
  }
  Answers(subject, problem, options).find(result);
  return result;
}

}  // namespace antiphon
