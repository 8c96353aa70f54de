// Graphviz's program `dot`, which turns a graph in its language into a picture.
#pragma once

#include <string>

namespace antiphon::cli {

struct Picture {
  std::string text;   // the picture; means something only where there is no fault
  std::string fault;  // why there is none, and the way out
};

// Runs `dot -Tsvg`, as PATH finds it. What it has to say it says on the standard error. SIGPIPE has
// to be ignored: the program may end before it has read all.
Picture svg_of(const std::string& dot);

}  // namespace antiphon::cli
