// Where the library's few words go: nothing in steady state, warnings by default.
#pragma once

#include <functional>
#include <string_view>

namespace antiphon {

enum class LogLevel { debug, info, warning, error, off };

// Messages at `level` or above go to `sink`, which may be called on any thread but by one at a
// time. An empty sink stands for standard error, which is also where warnings go before this is
// called. Any thread.
void set_log(LogLevel level, std::function<void(LogLevel, std::string_view)> sink = {});

}  // namespace antiphon
