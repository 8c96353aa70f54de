// The parts of a relation that can stick, each on its own.
#pragma once

#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// Which kinds of wait count. Self waits (an actor's own concurrency) never stick: firings that are
// made one after another fulfil them.
struct Kinds {
  bool space = true;
  bool order = true;
};

bool counts(const relation::Wait& wait, Kinds kinds) noexcept;

// Timelines and the waits among them, both ascending.
struct Block {
  std::vector<relation::TimelineId> timelines;
  std::vector<std::uint32_t> waits;  // indices into the relation's
};

// Where actors are stuck for ever, each waits for a firing of another stuck one, so there is a
// closed path of waits. A simple closed path lies within one strongly connected component, and
// there within one biconnected component of the undirected graph. Conversely such a path holds up
// its actors in any execution, whatever the rest does. So a relation lives if and only if each of
// these blocks does, alone; and a block's own iteration may be far shorter than that of the whole
// graph. Without capacities an acyclic graph has no block at all; with them, each channel of a tree
// is a block.
//
// Strongly connected components: Tarjan, 1972; biconnected ones: Hopcroft and Tarjan, 1973. Time
// linear in the size of the relation. Waits upon oneself are blocks of one timeline.
std::vector<Block> blocks(const relation::Relation& relation, Kinds kinds);

}  // namespace antiphon::analysis
