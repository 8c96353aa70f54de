// What actors share outside the graph.
#pragma once

#include "check/subject.hpp"

#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// One diagnostic for each pair of actors that use the same thing while nothing keeps their firings
// apart. They are kept apart where each firing of one has ended before each of the other's starts,
// or the other way round, through whatever they wait for: a path from one to the other is not
// enough, since firings of both ends of it overlap; a cycle through both with a single message on
// it is. REQUIRES: the relation lives.
void check_resources(const Subject& subject, std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
