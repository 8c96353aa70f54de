// The check from inside (namespace analysis, since antiphon::check is the function): what a valid
// graph turns into. Only check_graph makes a CheckedGraph, and only a CheckedGraph can be planned.
#pragma once

#include "check/kernels.hpp"
#include "check/subject.hpp"
#include "graph/model.hpp"
#include "relation/relation.hpp"

#include <antiphon/check.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace antiphon::analysis {

class CheckedGraph {
 public:
  const GraphModel& model() const noexcept { return model_; }
  // With the capacities below.
  const relation::Relation& relation() const noexcept { return relation_; }
  const Report& report() const noexcept { return report_; }
  // Per actor: cycles of its phases in one iteration of its connected component.
  const std::vector<std::int64_t>& repetitions() const noexcept { return repetitions_; }
  // Per channel, in messages; 0: unbounded (sdf3 only).
  const std::vector<std::int64_t>& capacities() const noexcept { return capacities_; }
  // Per actor; all null where the kernels were not checked.
  const ActorKernels& kernels() const noexcept { return kernels_; }
  Subject subject() const noexcept { return {model_, relation_, repetitions_, capacities_}; }

 private:
  friend struct Checker;
  friend class BackDoor;  // defined by tests alone, which also run what is not live
  CheckedGraph() = default;

  GraphModel model_;
  relation::Relation relation_;
  Report report_;
  std::vector<std::int64_t> repetitions_;
  std::vector<std::int64_t> capacities_;
  ActorKernels kernels_;
};

struct Outcome {
  Report report;
  std::shared_ptr<const CheckedGraph> graph;  // null unless the verdict is valid
};

Outcome check_graph(const GraphModel& model, const CheckOptions& options = {});

}  // namespace antiphon::analysis
