// Strongly connected components of a relation.
#pragma once

#include "relation/relation.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::analysis {

// Neighbours in one array, each timeline's part after that of the one before it.
struct Adjacency {
  struct Arc {
    relation::TimelineId to;
    std::uint32_t wait;
  };
  std::vector<std::uint32_t> begin;
  std::vector<Arc> arcs;

  // `for_each(put)` calls put(from, arc) for each arc, twice over in the same order.
  template <typename ForEach>
  Adjacency(std::size_t timelines, const ForEach& for_each) : begin(timelines + 1, 0) {
    for_each([&](relation::TimelineId from, Arc) { ++begin[from + 1]; });
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    arcs.resize(begin.back());
    std::vector<std::uint32_t> at(begin.begin(), begin.end() - 1);
    for_each([&](relation::TimelineId from, Arc arc) { arcs[at[from]++] = arc; });
  }
};

// The component of each timeline, numbered from 0; those that an arc leads to first. Time linear in
// the size of the graph (Tarjan, 1972); no recursion.
struct Components {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};
Components strong_components(std::size_t timelines, const Adjacency& graph);

}  // namespace antiphon::analysis
