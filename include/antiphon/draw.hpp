// A graph as a picture: in Graphviz's language, or as text.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <string>

namespace antiphon {

// Actors as nodes, channels as edges with their rates, capacities and initial messages. What the
// report's errors point at is drawn in red: of a deadlock that is the path around which everybody
// waits. The graph may be wrong; ends that mean nothing are drawn as what they say.
std::string to_dot(const Graph& graph, const Report& report = {});

// Actors and channels as tables for a person at a terminal, with the firings and capacities that
// the report knows. What its errors point at is marked with `!`, and in red where `color` allows
// ANSI escapes.
std::string to_text(const Graph& graph, const Report& report = {}, bool color = false);

}  // namespace antiphon
