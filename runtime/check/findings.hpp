// How the passes put what they found into words.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon::analysis {

// What a rule found, to be given marks, notes and a help.
Diagnostic finding(const Rule& rule, std::string message);

bool has_errors(const std::vector<Diagnostic>& diagnostics) noexcept;

// "'a'".
std::string quoted(std::string_view name);
// "'a', 'b' and 'c'"; at most `most` of them by name: "'a', 'b' and 98 more".
std::string quoted_list(const std::vector<std::string>& names, std::size_t most = 6);
// "1 message", "3 messages".
std::string counted(std::int64_t n, std::string_view one);

}  // namespace antiphon::analysis
