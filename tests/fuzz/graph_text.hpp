// A text that may be a graph, through all that a user's file goes through.
#pragma once

#include <string>

namespace fuzz {

// Whether the first character that is not blank is this one: XML begins with '<', and only XML
// does.
bool begins_with(const std::string& text, char first);

// Reads it, and checks, sizes, draws and writes the graph that comes out, if one does.
void try_graph(std::string text, const std::string& name);

}  // namespace fuzz
