// Puts what is stuck into words: who waits for whom, around, and what would cure it.
#pragma once

#include "check/liveness.hpp"
#include "check/subject.hpp"

#include <antiphon/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// One diagnostic for each stuck part. Looking for cures takes from the budget; where it ends, the
// help says less.
void describe_deadlocks(const Subject& subject, const Liveness& liveness, std::int64_t budget,
                        std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
