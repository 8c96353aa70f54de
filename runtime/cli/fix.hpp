// Repairs of a graph, written into the text that it came from.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

struct Fixed {
  std::string text;                  // with the repairs; nothing else is touched
  std::vector<std::string> done;     // one line each: "a.yaml:7:36: capacity of 'x' 3 -> 4"
  std::vector<std::string> by_hand;  // what could be written only by a person, and why
};

// Writes the capacities that the report's repairs ask for into the text that their places lie in.
// A diagnostic is repaired whole or not at all: initial messages change what a program means, and
// a capacity that is written as more than a number is somebody's idea.
Fixed fix(const std::string& text, const Report& report);

}  // namespace antiphon::cli
