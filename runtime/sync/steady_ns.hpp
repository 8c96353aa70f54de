// The clock that everything in a run is measured with.
#pragma once

#include <chrono>
#include <cstdint>

namespace antiphon::sync {

// ns on std::chrono::steady_clock.
inline std::int64_t steady_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace antiphon::sync
