// The check: is this graph right, before anything runs. Needs no GPU, driver or Vulkan loader.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstdint>

namespace antiphon {

struct CheckOptions {
  // Steps of search before the verdict is `undecided`; one step fires one actor any number of
  // times.
  std::int64_t budget = 2'000'000'000;
};

// Structure, rates and liveness. Never throws on a bad graph: what is wrong is in the report.
Report check(const Graph& graph, const CheckOptions& options = {});

}  // namespace antiphon
