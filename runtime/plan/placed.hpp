// A plan from inside: the graph that runs (the checked one, with copy actors where rings need
// them), where each channel lies, and what each GPU actor dispatches.
#pragma once

#include "base/result.hpp"
#include "check/check_graph.hpp"
#include "device/device.hpp"
#include "graph/model.hpp"
#include "plan/ring_layout.hpp"
#include "relation/relation.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace antiphon::plan {

struct PlacedRing {
  std::string channel;
  MessageType type;
  std::int64_t capacity = 0;  // messages
  std::int64_t initial = 0;   // messages
  std::vector<std::byte> initial_values;
  RingLayout layout;
  bool on_device = false;
  device::HostAccess access = device::HostAccess::none;  // on_device only
  bool realigned = false;
};

// A port, as its actor's firings use it.
struct PlacedPort {
  std::uint32_t ring = 0;
  std::int64_t start = 0;  // slot of its first message
  PhaseSequence rate;
};

struct PlacedActor {
  std::string name;
  Side side = Side::cpu;
  std::vector<PlacedPort> ports;  // in declared order
  CpuFunction function;           // CPU actors
  std::int64_t concurrency = 1;   // firings that may run at once; 0: any number
  bool blocking = false;          // its function may sleep in a call
  // GPU actors:
  std::shared_ptr<const device::Kernel> kernel;
  // Groups of firing n, by window_index(n); a single one stands for all.
  std::vector<std::array<std::uint32_t, 3>> groups;
  // Firings after which the windows of all its ports recur, once its initial phases are over.
  std::int64_t recurrence = 1;
  // Firings with the same index see the same windows.
  std::size_t window_index(std::int64_t n) const noexcept {
    return static_cast<std::size_t>(
        n < initial_firings ? n : initial_firings + (n - initial_firings) % recurrence);
  }
  // Firings in one iteration, and before the first.
  std::int64_t firings_per_iteration = 1;
  std::int64_t initial_firings = 0;
  // Smaller runs first when one firing follows another: consumers before their producers.
  std::uint32_t rank = 0;
};

struct Placed {
  std::shared_ptr<const analysis::CheckedGraph> checked;
  std::shared_ptr<device::Device> device;  // null where no actor is on the GPU
  relation::Relation relation;      // of the actors below, with the capacities that really are
  std::vector<PlacedActor> actors;  // the graph's own first, in its order; then copy actors
  std::size_t graph_actors = 0;     // how many are the graph's own
  std::vector<PlacedRing> rings;    // one per channel of `relation`
};

// Why there is no plan: what is wrong with the graph, or what the device can't do.
struct Unplaced {
  std::optional<Report> report;  // with the check's own; the verdict is invalid
  Failure failure;               // where there is no report
};

// `device` may be null for a graph without GPU actors.
std::variant<std::shared_ptr<const Placed>, Unplaced> place(
    std::shared_ptr<const analysis::CheckedGraph> checked, std::shared_ptr<device::Device> device);

}  // namespace antiphon::plan
