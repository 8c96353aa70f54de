// Text from files and names, made safe to print.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace antiphon::report {

// UTF-8 without control characters: a tab becomes a space, other control characters `\x1b`, bytes
// that are not UTF-8 become U+FFFD, so that no name in a file can steer a terminal.
std::string plain(std::string_view text);

// Code points of what `plain` returned: the cells it takes in a terminal, wide and combining
// characters aside.
std::size_t cells(std::string_view plain_text) noexcept;

}  // namespace antiphon::report
