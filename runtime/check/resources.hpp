// What actors share outside the graph.
#pragma once

#include "check/subject.hpp"

#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// One diagnostic for each thing that actors use while nothing keeps all their firings apart. Those
// of two actors are kept apart where each firing of one has ended before each of the other's
// starts, or the other way round, through whatever they wait for: a path from one to the other is
// not enough, since firings of both ends of it overlap; a cycle through both with a single message
// on it is. REQUIRES: the relation lives.
void check_resources(const Subject& subject, std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
