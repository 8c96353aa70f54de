// The first pass: do names mean something, and do the two ends of each channel fit.
#pragma once

#include "graph/model.hpp"

#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// Adds every fault of the structure. Where it adds no error, relation::build can be called.
// Time linear in the size of the model.
void check_structure(const GraphModel& model, std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
