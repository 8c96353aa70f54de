// Logging for the modules above; the user's side is <antiphon/log.hpp>.
#pragma once

#include <antiphon/log.hpp>

#include <string_view>

namespace antiphon::trace {

bool logs(LogLevel level) noexcept;
void log(LogLevel level, std::string_view message);

}  // namespace antiphon::trace
