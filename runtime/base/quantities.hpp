// Times, rates and sizes for people.
#pragma once

#include <cstdint>
#include <string>

namespace antiphon {

// "21.8 ms"; the plain number where the graph has units of its own.
std::string time_text(double value, bool nanoseconds);
// "45.9/s", of a period; "without limit" where it is 0.
std::string rate_text(double period, bool nanoseconds);
// "1.5 MiB".
std::string bytes_text(std::int64_t bytes);

}  // namespace antiphon
