// The first pass: do names mean something, and do the two ends of each channel fit.
#pragma once

#include "graph/ends.hpp"
#include "graph/model.hpp"

#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// Adds every fault of the structure, and returns what the channels' ends mean. Where it adds no
// error, relation::build can be called. Time linear in the size of the model.
Ends check_structure(const GraphModel& model, std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
