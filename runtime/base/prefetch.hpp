// For walks in an order that no cache foresees.
#pragma once

namespace antiphon {

// Asks early for memory that will be read soon; any address will do.
inline void ask_for([[maybe_unused]] const void* memory) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(memory);
#endif
}

}  // namespace antiphon
