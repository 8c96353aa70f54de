// Can firings that block take all threads of the pool that runs them?
#pragma once

#include "check/subject.hpp"

#include <antiphon/diagnostic.hpp>

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// So many firings of actors declared blocking may run at once, at most: their concurrency, and the
// messages that their channels can hold, allow no more. INT64_MAX: any number.
std::int64_t most_blocked(const Subject& subject);

// `threads`: of the pool that runs CPU actors, at least 1.
void check_starvation(const Subject& subject, std::int64_t threads,
                      std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
