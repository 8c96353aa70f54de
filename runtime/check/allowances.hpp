// Warnings that a graph says are all right.
#pragma once

#include "graph/model.hpp"

#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// Gives each warning that is allowed its reason. Reports what is allowed and is no warning of the
// check, and what is allowed and was not found.
void allow(const GraphModel& model, std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
