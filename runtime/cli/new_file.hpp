// Files that are there whole or not at all.
#pragma once

#include <string>

namespace antiphon::cli {

// Why `file` cannot be written, as far as that is known beforehand; empty: nothing is. `replace`:
// whether it may be there already.
std::string fault_of_new_file(const std::string& file, bool replace);

// Writes under a temporary name beside `file`, and gives it that name once all is on the disk: a
// failure leaves what was there. What went wrong; empty: nothing.
std::string write_new_file(const std::string& file, const std::string& text, bool replace);

}  // namespace antiphon::cli
