#include "check/starvation.hpp"

#include "base/int128.hpp"
#include "check/findings.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::TimelineId;
using relation::WaitKind;

constexpr std::int64_t any = INT64_MAX;

// Firings of this actor that may run at once, for each blocking one; 0 for all others. Messages lie
// in their channel while a firing works on them, so the smallest windows say how many there can be.
std::vector<std::int64_t> at_once(const Subject& subject) {
  const auto& actors = subject.model.actors;
  std::vector<std::int64_t> most(actors.size(), 0);
  for (std::size_t a = 0; a < actors.size(); ++a) {
    if (actors[a].blocking) most[a] = actors[a].concurrency == 0 ? any : actors[a].concurrency;
  }
  const auto& relation = subject.relation;
  for (const auto& wait : relation.waits) {
    if (wait.kind != WaitKind::data || subject.capacities[wait.channel] == 0) continue;
    const auto limit = [&](TimelineId actor, const PhaseSequence& rate) {
      if (most[actor] <= 1) return;
      std::int64_t least = any;
      for (const auto runs : {rate.initial_runs(), rate.periodic_runs()}) {
        for (const auto& run : runs) least = std::min(least, run.value);
      }
      if (least > 0) most[actor] = std::min(most[actor], subject.capacities[wait.channel] / least);
    };
    limit(wait.source, relation.gain(wait));
    limit(wait.waiter, relation.need(wait));
  }
  return most;
}

std::int64_t sum(const std::vector<std::int64_t>& most) {
  Int128 all = 0;
  for (const auto one : most) all += one;
  return static_cast<std::int64_t>(std::min<Int128>(all, any));
}

}  // namespace

std::int64_t most_blocked(const Subject& subject) {
  return sum(at_once(subject));
}

void check_starvation(const Subject& subject, std::int64_t threads,
                      std::vector<Diagnostic>& diagnostics) {
  const auto most = at_once(subject);
  const auto blocked = sum(most);
  if (blocked == 0) return;
  const auto& actors = subject.model.actors;
  // Somebody has to be left for the others, if there are any.
  const bool others = std::find(most.begin(), most.end(), 0) != most.end();
  if (blocked < threads || (blocked == threads && !others)) return;
  std::vector<std::string> names;
  std::vector<Mark> marks;
  constexpr std::size_t most_marks = 6;
  for (std::size_t a = 0; a < most.size(); ++a) {
    if (most[a] == 0) continue;
    names.push_back(actors[a].name);
    if (marks.size() == most_marks) continue;
    marks.push_back({actors[a].place, "actor " + actors[a].name,
                     most[a] == any
                         ? "may block in any number of firings at once"
                         : fmt::format("may block in {} at once", counted(most[a], "firing"))});
  }
  auto& d = diagnostics.emplace_back(
      finding(rule::starved_pool,
              fmt::format("{} may block {}, which leaves none of {} for {}", quoted_list(names),
                          blocked == any ? std::string("any number of threads at once")
                                         : counted(blocked, "thread") + " at once",
                          counted(threads, "thread"), others ? "other actors" : "all of them")));
  d.marks = std::move(marks);
  d.help = blocked == any
               ? "give them a concurrency, or their channels capacities"
               : fmt::format(
                     "run the graph with {} or more, or let fewer of their firings run at "
                     "once",
                     counted(blocked + (others ? 1 : 0), "thread"));
}

}  // namespace antiphon::analysis
