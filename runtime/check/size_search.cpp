#include "check/size_search.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <set>
#include <utility>

namespace antiphon::analysis {

namespace {

using Capacities = std::vector<std::int64_t>;

constexpr std::int64_t most_capacity = std::int64_t{1} << 61;

bool agrees(const SizeCut& cut, const Capacities& capacities) {
  return std::any_of(cut.any.begin(), cut.any.end(),
                     [&](const auto& choice) { return capacities[choice.first] >= choice.second; });
}

class Search {
 public:
  Search(const SizeProblem& problem, SizeGoal& goal, const std::function<bool()>& may_go_on,
         SizeCuts& cuts)
      : problem_(problem),
        goal_(goal),
        may_go_on_(may_go_on),
        cuts_(cuts),
        unlimited_(problem.fixed),
        is_sized_(problem.weight.size(), false) {
    for (const auto c : problem.channels) {
      unlimited_[c] = unlimited_capacity;
      is_sized_[c] = true;
    }
  }

  SizeResult run() {
    SizeResult result;
    std::vector<std::size_t> blamed;
    switch (goal_.ask(unlimited_, blamed)) {
      case SizeGoal::Answer::fails:
        result.state = SizeResult::State::impossible;
        return result;
      case SizeGoal::Answer::undecided:
        return result;
      case SizeGoal::Answer::holds:
        break;
    }
    auto begin = unlimited_;
    for (const auto c : problem_.channels) begin[c] = problem_.least[c];
    find_some(begin);
    cheapest_first(std::move(begin), result);
    if (result.state == SizeResult::State::least || !best_) return result;
    result.state =
        cost(*best_) <= result.bound ? SizeResult::State::least : SizeResult::State::found;
    result.capacities = *best_;
    result.total = cost(*best_);
    result.bound = std::min(result.bound, result.total);
    return result;
  }

 private:
  std::int64_t cost(const Capacities& capacities) const {
    Int128 sum = 0;
    for (const auto c : problem_.channels) {
      sum += Int128{capacities[c]} * problem_.weight[c];
    }
    return static_cast<std::int64_t>(std::min<Int128>(sum, INT64_MAX));
  }

  // Any that do, not much larger than they must be: grows what is to blame, the cheapest step of
  // each sentence first, then takes back what it can.
  void find_some(Capacities at) {
    for (;;) {
      const auto* open = violated(at);
      if (open == nullptr) {
        const auto answer = learn(at);
        if (answer == SizeGoal::Answer::undecided) return;
        if (answer == SizeGoal::Answer::holds) break;
        continue;
      }
      const auto step = [&](const auto& choice) {
        return Int128{choice.second - at[choice.first]} * problem_.weight[choice.first];
      };
      const auto cheapest =
          std::min_element(open->any.begin(), open->any.end(),
                           [&](const auto& a, const auto& b) { return step(a) < step(b); });
      at[cheapest->first] = cheapest->second;
    }
    for (const auto c : problem_.channels) {
      auto fails = problem_.least[c] - 1;
      while (at[c] - fails > 1) {
        auto less = at;
        less[c] = fails + (at[c] - fails) / 2;
        std::vector<std::size_t> blamed;
        if (violated(less) != nullptr) {
          fails = less[c];
          continue;
        }
        const auto answer = goal_.ask(less, blamed);
        if (answer == SizeGoal::Answer::undecided || !may_go_on_()) {
          best_ = at;
          return;
        }
        if (answer == SizeGoal::Answer::holds) {
          at = std::move(less);
        } else {
          fails = less[c];
        }
      }
    }
    best_ = at;
  }

  const SizeCut* violated(const Capacities& at) const {
    for (const auto& cut : cuts_) {
      if (!agrees(cut, at)) return &cut;
    }
    return nullptr;
  }

  // Asks, and where it fails makes a sentence of it.
  SizeGoal::Answer learn(const Capacities& at) {
    if (!may_go_on_()) return SizeGoal::Answer::undecided;
    std::vector<std::size_t> blamed;
    const auto answer = goal_.ask(at, blamed);
    if (answer != SizeGoal::Answer::fails) return answer;
    auto strongest = unlimited_;
    for (const auto c : blamed) strongest[c] = at[c];
    SizeCut cut;
    for (const auto c : blamed) {
      if (!is_sized_[c]) continue;
      const auto largest = largest_failing(strongest, c);
      if (!largest) return SizeGoal::Answer::undecided;
      strongest[c] = *largest;
      if (*largest < unlimited_capacity) cut.any.emplace_back(c, *largest + 1);
    }
    if (cut.any.empty()) return SizeGoal::Answer::undecided;  // it fails whatever one does
    cuts_.push_back(std::move(cut));
    return answer;
  }

  // With the other capacities as they are.
  std::optional<std::int64_t> largest_failing(Capacities at, std::size_t channel) {
    std::vector<std::size_t> blamed;
    const auto fails = [&](std::int64_t capacity) -> std::optional<bool> {
      if (!may_go_on_()) return std::nullopt;
      at[channel] = capacity;
      const auto answer = goal_.ask(at, blamed);
      if (answer == SizeGoal::Answer::undecided) return std::nullopt;
      return answer == SizeGoal::Answer::fails;
    };
    auto low = at[channel];  // fails
    const auto without = fails(unlimited_capacity);
    if (!without) return std::nullopt;
    if (*without) return unlimited_capacity;
    auto step = std::max<std::int64_t>(1, problem_.least[channel] / 64);
    auto high = low + step;
    for (;;) {
      const auto answer = fails(high);
      if (!answer) return std::nullopt;
      if (!*answer) break;
      low = high;
      if (high >= most_capacity) return unlimited_capacity;
      step *= 2;
      high += step;
    }
    while (high - low > 1) {
      const auto middle = low + (high - low) / 2;
      const auto answer = fails(middle);
      if (!answer) return std::nullopt;
      (*answer ? low : high) = middle;
    }
    return low;
  }

  // What sentences that share no channel ask for in any case.
  std::int64_t at_least_more(const Capacities& at) const {
    Int128 more = 0;
    std::vector<bool> used(at.size());
    for (const auto& cut : cuts_) {
      if (agrees(cut, at)) continue;
      Int128 least = -1;
      bool apart = true;
      for (const auto& [c, needs] : cut.any) {
        apart = apart && !used[c];
        const auto step = Int128{needs - at[c]} * problem_.weight[c];
        if (least < 0 || step < least) least = step;
      }
      if (!apart) continue;
      for (const auto& choice : cut.any) used[choice.first] = true;
      more += least;
    }
    return static_cast<std::int64_t>(std::min<Int128>(more, INT64_MAX / 4));
  }

  struct Choice {
    std::int64_t bound;
    Capacities capacities;
    bool operator<(const Choice& other) const {
      if (bound != other.bound) return bound > other.bound;
      return capacities > other.capacities;
    }
  };

  void cheapest_first(Capacities begin, SizeResult& result) {
    std::priority_queue<Choice> open;
    std::set<Capacities> seen;
    const auto add = [&](Capacities capacities) {
      if (!seen.insert(capacities).second) return;
      const auto bound = cost(capacities) + at_least_more(capacities);
      if (best_ && bound > cost(*best_)) return;
      open.push({bound, std::move(capacities)});
    };
    add(std::move(begin));
    result.bound = open.empty() ? 0 : open.top().bound;
    while (!open.empty()) {
      auto choice = open.top();
      result.bound = choice.bound;
      if (best_ && choice.bound >= cost(*best_)) return;
      if (!may_go_on_() || seen.size() > most_choices) return;
      open.pop();
      // More may be known by now than when it was put in.
      const auto bound = cost(choice.capacities) + at_least_more(choice.capacities);
      if (bound > choice.bound) {
        open.push({bound, std::move(choice.capacities)});
        continue;
      }
      const auto* cut = violated(choice.capacities);
      if (cut == nullptr) {
        const auto answer = learn(choice.capacities);
        if (answer == SizeGoal::Answer::undecided) return;
        if (answer == SizeGoal::Answer::holds) {
          result.state = SizeResult::State::least;
          result.total = cost(choice.capacities);
          result.capacities = std::move(choice.capacities);
          return;
        }
        cut = &cuts_.back();
      }
      const auto any = cut->any;
      for (const auto& [c, needs] : any) {
        auto next = choice.capacities;
        next[c] = needs;
        add(std::move(next));
      }
    }
    // Nothing cheaper is left.
    if (best_) result.bound = cost(*best_);
  }

  static constexpr std::size_t most_choices = 2'000'000;

  const SizeProblem& problem_;
  SizeGoal& goal_;
  const std::function<bool()>& may_go_on_;
  SizeCuts& cuts_;
  Capacities unlimited_;  // all that are sized
  std::vector<bool> is_sized_;
  std::optional<Capacities> best_;
};

}  // namespace

SizeResult search_sizes(const SizeProblem& problem, SizeGoal& goal,
                        const std::function<bool()>& may_go_on, SizeCuts& cuts) {
  return Search(problem, goal, may_go_on, cuts).run();
}

}  // namespace antiphon::analysis
