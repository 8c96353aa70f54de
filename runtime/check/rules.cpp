#include "check/rules.hpp"

#include "graph/conversion_rules.hpp"
#include "graph/format_rules.hpp"
#include "graph/plan_rules.hpp"

namespace antiphon {

std::vector<Rule> rules() {
  std::vector<Rule> result(graph_rules::all.begin(), graph_rules::all.end());
  result.insert(result.end(), analysis::rule::all.begin(), analysis::rule::all.end());
  result.insert(result.end(), plan_rules::all.begin(), plan_rules::all.end());
  result.insert(result.end(), conversion_rules::all.begin(), conversion_rules::all.end());
  return result;
}

}  // namespace antiphon
