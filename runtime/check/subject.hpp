// What a pass of the check looks at once the rates are solved.
#pragma once

#include "graph/model.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// A graph whose rates fit, and what its channels hold.
struct Subject {
  const GraphModel& model;
  const relation::Relation& relation;
  const std::vector<std::int64_t>& repetitions;
  const std::vector<std::int64_t>& capacities;  // per channel, 0: unbounded
};

}  // namespace antiphon::analysis
