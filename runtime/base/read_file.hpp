// A whole file at once.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>

namespace antiphon {

// Fails with unreadable: "kernel file 'x' can't be read: there is no such file", where `what` is
// "kernel file". Only regular files of at most `most` bytes: a mistaken name may be anything.
Result<std::string> read_file(const std::string& path, const std::string& what,
                              std::uintmax_t most);

}  // namespace antiphon
