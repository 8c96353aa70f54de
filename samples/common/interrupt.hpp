// Ctrl-C as a wish: the program ends in order and removes what is half done. A second one ends it
// at once.
#pragma once

namespace samples {

void watch_for_interrupt();
// Any thread.
bool interrupted() noexcept;

}  // namespace samples
