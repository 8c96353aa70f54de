// What a graph says that it has to keep up, held against what it can.
#pragma once

#include "check/subject.hpp"

#include <antiphon/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// One diagnostic for each requirement that is not met, with repairs that were tried where any were
// found. REQUIRES: the relation lives.
void check_requirements(const Subject& subject, std::int64_t budget,
                        std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
