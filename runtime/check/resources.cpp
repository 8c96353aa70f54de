#include "check/resources.hpp"

#include "check/findings.hpp"
#include "check/latency.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::TimelineId;

// Which firings hold up which, found as they are asked for.
class Kept {
 public:
  explicit Kept(const Subject& subject) : subject_(subject) {}

  // Two iterations after the initial phases are looked at: what follows repeats them.
  bool apart(TimelineId a, TimelineId b) {
    const auto& timeline = subject_.relation.timelines[a];
    const auto last = timeline.initial_phases + 2 * subject_.repetitions[a] * timeline.phases;
    for (std::int64_t n = 0; n < last; ++n) {
      const auto later = first_behind(a, n, b);
      if (later < 0) return false;
      // Those of b before that one have to have ended before firing n of a starts.
      if (later == 0) continue;
      const auto back = first_behind(b, later - 1, a);
      if (back < 0 || back > n) return false;
    }
    return true;
  }

  // So much was asked that the rest counts as not kept apart.
  bool gave_up() const { return steps_ <= 0; }

 private:
  // The first firing of `b` that cannot start before firing n of `a` has ended; -1: none.
  std::int64_t first_behind(TimelineId a, std::int64_t n, TimelineId b) {
    auto found = behind_.find({a, n});
    if (found == behind_.end()) {
      if (gave_up()) return -1;
      steps_ -= static_cast<std::int64_t>(subject_.relation.waits.size()) + 1;
      found = behind_.emplace(std::pair{a, n}, first_held_up(subject_.relation, a, n)).first;
    }
    return found->second[b];
  }

  const Subject& subject_;
  // Waits looked at; as many numbers are kept at most.
  std::int64_t steps_ = 20'000'000;
  std::map<std::pair<TimelineId, std::int64_t>, std::vector<std::int64_t>> behind_;
};

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
  if (users.empty()) return;
  Kept kept(subject);
  for (const auto& [resource, of] : users) {
    // Those that are not kept apart from each other, or from themselves.
    std::vector<bool> meets(of.size(), false);
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (model.actors[of[i]].concurrency != 1) meets[i] = true;
      for (std::size_t j = i + 1; j < of.size(); ++j) {
        if (meets[i] && meets[j]) continue;
        if (!kept.apart(of[i], of[j])) meets[i] = meets[j] = true;
      }
    }
    std::vector<std::string> names;
    Diagnostic d = finding(rule::shared_resource, "");
    constexpr std::size_t most_marks = 6;
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (!meets[i]) continue;
      const auto& actor = model.actors[of[i]];
      names.push_back(actor.name);
      if (d.marks.size() < most_marks) {
        d.marks.push_back({actor.place, actor.name, fmt::format("uses {}", resource)});
      }
    }
    if (names.empty()) continue;
    d.message =
        names.size() == 1
            ? fmt::format("firings of '{}' may use '{}' at the same time", names[0], resource)
            : fmt::format("{} may use '{}' at the same time", quoted_list(names), resource);
    d.subjects.emplace_back(resource);
    d.subjects.insert(d.subjects.end(), names.begin(), names.end());
    if (kept.gave_up()) {
      d.notes.emplace_back("not all of them were held against each other: they are too many");
    }
    d.help = names.size() == 1
                 ? "give it concurrency: 1, or allow shared-resource with the reason why that is "
                   "all right"
                 : "let a single message go round through all of them, make one actor of them, or "
                   "allow shared-resource with the reason why that is all right";
    diagnostics.push_back(std::move(d));
  }
}

}  // namespace antiphon::analysis
