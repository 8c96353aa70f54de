// The check: is this graph right, before anything runs. Needs no GPU, driver or Vulkan loader.
#pragma once

#include <antiphon/device_profile.hpp>
#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstdint>
#include <optional>

namespace antiphon {

struct CheckOptions {
  // Steps of search before the verdict is `undecided`; one step fires one actor any number of
  // times.
  std::int64_t budget = 2'000'000'000;
  // Whether kernels are read, compiled and held against the ports of their actors.
  bool kernels = true;
  // Threads of the pool that is to run CPU actors; 0: as many as it takes.
  unsigned threads = 0;
  // A device that the graph is held against, too: its limits, features and memory.
  std::optional<DeviceProfile> device = {};
};

// Structure, rates, liveness, what the graph requires, its kernels and, where one is given, a
// device. Never throws on a bad graph: what is wrong is in the report.
Report check(const Graph& graph, const CheckOptions& options = {});

}  // namespace antiphon
