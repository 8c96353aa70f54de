// Names of files that a program writes.
#pragma once

#include <filesystem>

namespace samples {

// Where a name leads: through links, to what is there or would be.
std::filesystem::path followed(const std::filesystem::path& name);

// Whether both lead to one file, which may not be there yet.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace samples
