#include "check/self_timed.hpp"

#include <algorithm>
#include <utility>

namespace antiphon::analysis {

using relation::TimelineId;

bool SelfTimed::reach(TimelineId timeline, std::int64_t firings, std::int64_t budget) {
  goals_[timeline] = std::max(goals_[timeline], firings);
  std::vector<TimelineId> raised{timeline};
  std::vector<TimelineId> involved{timeline};
  while (!raised.empty()) {
    const auto at = raised.back();
    raised.pop_back();
    if (goals_[at] > budget) return false;
    if (goals_[at] == 0) continue;
    for (const auto i : relation_.waits_of[at]) {
      const auto& wait = relation_.waits[i];
      if (wait.source == at) continue;
      const auto point = relation_.timepoint(wait, goals_[at] - 1);
      if (!point) return false;
      if (*point <= goals_[wait.source]) continue;
      goals_[wait.source] = *point;
      raised.push_back(wait.source);
      involved.push_back(wait.source);
    }
  }
  std::sort(involved.begin(), involved.end());
  involved.erase(std::unique(involved.begin(), involved.end()), involved.end());
  Int128 all = 0;
  for (const auto t : involved) all += goals_[t];
  if (all > budget) return false;
  for (bool more = true; more;) {
    more = false;
    for (const auto t : involved) {
      while (static_cast<std::int64_t>(runs_[t].ends.size()) < goals_[t] && fire(t)) more = true;
    }
  }
  return std::all_of(involved.begin(), involved.end(), [&](TimelineId t) {
    return static_cast<std::int64_t>(runs_[t].ends.size()) == goals_[t];
  });
}

// The next firing, if all that it waits for has been fired.
bool SelfTimed::fire(TimelineId t) {
  auto& run = runs_[t];
  const auto n = static_cast<std::int64_t>(run.ends.size());
  Int128 start = n > 0 ? run.starts.back() : 0;
  if (t == arrivals_.source) start = std::max(start, Int128{n} * arrivals_.step);
  for (const auto i : relation_.waits_of[t]) {
    const auto& wait = relation_.waits[i];
    const auto point = *relation_.timepoint(wait, n);
    if (point <= 0) continue;
    const auto& source = runs_[wait.source];
    if (point > static_cast<std::int64_t>(source.ends.size())) return false;
    if (relation_.timelines[wait.source].concurrency != 0) {
      start = std::max(start, source.published[static_cast<std::size_t>(point - 1)]);
      continue;
    }
    // Firings publish as they end, and messages are matched by their place: all that put in some of
    // those that this firing takes have to have ended.
    const auto& gain = relation_.gain(wait);
    const auto before = relation_.need(wait).total(n) - wait.offset;
    const auto first = before < 0 ? std::int64_t{1} : gain.least_reaching(before + 1).value_or(1);
    for (auto f = std::max<std::int64_t>(first, 1); f <= point; ++f) {
      if (gain.at(f - 1) > 0) start = std::max(start, source.ends[static_cast<std::size_t>(f - 1)]);
    }
  }
  Int128 end = start;
  if (const auto& cost = relation_.timelines[t].cost) {
    end += Int128{relation_.sequences[*cost].at(n)} * scale_;
  }
  run.starts.push_back(start);
  run.ends.push_back(end);
  run.published.push_back(run.published.empty() ? end : std::max(run.published.back(), end));
  return true;
}

}  // namespace antiphon::analysis
