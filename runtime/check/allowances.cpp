#include "check/allowances.hpp"

#include "check/findings.hpp"
#include "check/rules.hpp"
#include "graph/similar_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace antiphon::analysis {

void allow(const GraphModel& model, std::vector<Diagnostic>& diagnostics) {
  if (model.allow.empty()) return;
  const auto known = antiphon::rules();
  std::vector<Diagnostic> faults;
  for (const auto& allowance : model.allow) {
    const auto complain = [&](const Rule& rule, std::string message, std::string help) {
      auto d = finding(rule, std::move(message));
      d.marks.push_back({allowance.place, "allow " + allowance.rule, ""});
      d.help = std::move(help);
      faults.push_back(std::move(d));
    };
    const auto rule = std::find_if(known.begin(), known.end(),
                                   [&](const Rule& r) { return r.code == allowance.rule; });
    if (rule == known.end()) {
      std::vector<std::string> codes;
      for (const auto& r : known) {
        if (r.severity == Severity::warning) codes.emplace_back(r.code);
      }
      auto near = nearest_names(allowance.rule, codes);
      complain(rule::unknown_rule,
               fmt::format("there is no rule '{}' to be allowed", allowance.rule),
               near.empty() ? fmt::format("the warnings are {}", fmt::join(codes, ", ")) : near);
      continue;
    }
    if (rule->severity != Severity::warning || rule->code == rule::undecided.code) {
      complain(rule::unknown_rule,
               fmt::format("'{}' cannot be allowed: {}", allowance.rule,
                           rule->severity == Severity::error ? "it is an error"
                                                             : "it says that an answer is missing"),
               "mend what it is about");
      continue;
    }
    bool any = false;
    for (auto& d : diagnostics) {
      const bool meant = d.code == allowance.rule &&
                         (allowance.of.empty() || std::find(d.subjects.begin(), d.subjects.end(),
                                                            allowance.of) != d.subjects.end());
      if (!meant) continue;
      d.allowed = allowance.reason;
      any = true;
    }
    if (!any) {
      complain(rule::unused_allowance,
               allowance.of.empty()
                   ? fmt::format("'{}' is allowed, and there is none", allowance.rule)
                   : fmt::format("'{}' is allowed of '{}', and there is none of it", allowance.rule,
                                 allowance.of),
               "leave it out, so that one that comes later is heard of");
    }
  }
  diagnostics.insert(diagnostics.end(), std::make_move_iterator(faults.begin()),
                     std::make_move_iterator(faults.end()));
}

}  // namespace antiphon::analysis
