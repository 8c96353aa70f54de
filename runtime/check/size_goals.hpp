// What can be asked of capacities: that a graph lives, that it is as fast as something.
#pragma once

#include "base/rational.hpp"
#include "check/size_search.hpp"
#include "graph/model.hpp"
#include "relation/relation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace antiphon::analysis {

// A graph whose channels have no capacities yet. The model and the repetitions must outlive it.
class SizeSubject {
 public:
  // `budget`: steps of search, of all goals together.
  SizeSubject(const GraphModel& model, const std::vector<std::int64_t>& repetitions,
              std::int64_t budget);

  // With every channel bounded.
  const relation::Relation& relation() const { return relation_; }
  const std::vector<std::int64_t>& repetitions() const { return repetitions_; }
  // With these capacities; no space waits for those that are unlimited.
  relation::Relation with(const std::vector<std::int64_t>& capacities) const;
  // Every channel, its messages weighing 1 each; none may be smaller than one firing needs.
  SizeProblem problem() const;

  std::int64_t& budget() { return budget_; }
  bool may_go_on() const { return budget_ > 0; }
  void pay_for_a_look_at_the_graph();
  void pay_for_a_throughput();

 private:
  const GraphModel& model_;
  const std::vector<std::int64_t>& repetitions_;
  relation::Relation relation_;
  std::int64_t budget_;
  std::int64_t firings_ = 0;  // of one iteration
};

class Lives : public SizeGoal {
 public:
  explicit Lives(SizeSubject& subject) : subject_(subject) {}
  Answer ask(const std::vector<std::int64_t>& capacities,
             std::vector<std::size_t>& blamed) override;

 private:
  SizeSubject& subject_;
};

// It lives, and an iteration takes no longer than `period` in the long run, or less than it.
class IsAsFast : public SizeGoal {
 public:
  enum class Than { at_most, less };
  // `of`: of what decides when this timeline fires alone.
  IsAsFast(SizeSubject& subject, const Rational& period, Than than = Than::at_most,
           std::optional<relation::TimelineId> of = std::nullopt)
      : subject_(subject), period_(period), than_(than), of_(of) {}
  Answer ask(const std::vector<std::int64_t>& capacities,
             std::vector<std::size_t>& blamed) override;

 private:
  SizeSubject& subject_;
  Rational period_;
  Than than_;
  std::optional<relation::TimelineId> of_;
};

// Bytes of one message of each channel; 0 where nobody says.
std::vector<std::int64_t> message_sizes(const GraphModel& model,
                                        const relation::Relation& relation);
// The same, and at least 1.
std::vector<std::int64_t> message_weights(const GraphModel& model,
                                          const relation::Relation& relation);

}  // namespace antiphon::analysis
