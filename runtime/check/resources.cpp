#include "check/resources.hpp"

#include "check/findings.hpp"
#include "check/latency.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::TimelineId;

// The first firing of `b` that cannot start before firing n of `a` has ended; INT64_MAX: none.
class Kept {
 public:
  Kept(const relation::Relation& relation, TimelineId a, TimelineId b)
      : relation_(relation), a_(a), b_(b) {}

  std::int64_t behind(std::int64_t n) const {
    const auto first = first_held_up(relation_, a_, n)[b_];
    return first < 0 ? INT64_MAX : first;
  }

 private:
  const relation::Relation& relation_;
  TimelineId a_;
  TimelineId b_;
};

bool never_overlap(const Subject& subject, TimelineId a, TimelineId b) {
  const auto& relation = subject.relation;
  const Kept behind_a(relation, a, b);
  const Kept behind_b(relation, b, a);
  const auto firings = [&](TimelineId t) {
    return subject.repetitions[t] * relation.timelines[t].phases;
  };
  // Two iterations after the initial phases; what follows repeats them. More than that is not
  // looked at: then they count as overlapping.
  constexpr std::int64_t most = 20'000;
  const auto last = relation.timelines[a].initial_phases + 2 * firings(a);
  if (last > most) return false;
  for (std::int64_t n = 0; n < last; ++n) {
    const auto later = behind_a.behind(n);
    // Those of b before that have to have ended before firing n of a starts.
    if (later == 0) continue;
    if (later == INT64_MAX || behind_b.behind(later - 1) > n) return false;
  }
  return true;
}

}  // namespace

void check_resources(const Subject& subject, std::vector<Diagnostic>& diagnostics) {
  const auto& model = subject.model;
  std::map<std::string_view, std::vector<TimelineId>> users;
  for (TimelineId t = 0; t < model.actors.size(); ++t) {
    for (const auto& used : model.actors[t].uses) {
      auto& of = users[used];
      if (of.empty() || of.back() != t) of.push_back(t);
    }
  }
  for (const auto& entry : users) {
    const auto resource = entry.first;
    const auto& of = entry.second;
    const auto report = [&](TimelineId a, TimelineId b) {
      const auto& first = model.actors[a];
      const auto& second = model.actors[b];
      auto d = a == b ? finding(rule::shared_resource,
                                fmt::format("firings of '{}' may use '{}' at the same time",
                                            first.name, resource))
                      : finding(rule::shared_resource,
                                fmt::format("'{}' and '{}' may use '{}' at the same time",
                                            first.name, second.name, resource));
      d.marks.push_back({first.place, first.name, fmt::format("uses {}", resource)});
      if (a != b) d.marks.push_back({second.place, second.name, fmt::format("uses {}", resource)});
      d.subjects = {std::string(resource), first.name, second.name};
      d.help = a == b ? "give it concurrency: 1, or allow shared-resource with the reason why that "
                        "is all right"
                      : "let a single message go round through both of them, make one actor of "
                        "them, or allow shared-resource with the reason why that is all right";
      diagnostics.push_back(std::move(d));
    };
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (model.actors[of[i]].concurrency != 1) report(of[i], of[i]);
      for (std::size_t j = i + 1; j < of.size(); ++j) {
        if (!never_overlap(subject, of[i], of[j])) report(of[i], of[j]);
      }
    }
  }
}

}  // namespace antiphon::analysis
