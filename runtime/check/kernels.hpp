// Do the kernels fit the ports of their actors? What a device has to be for them is for
// devices.hpp.
#pragma once

#include "graph/model.hpp"
#include "kernels/kernel_interface.hpp"

#include <antiphon/diagnostic.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace antiphon::analysis {

// What a GPU actor runs: its kernel, read and compiled.
struct ActorKernel {
  std::vector<std::uint32_t> spirv;
  kernels::KernelInterface interface;
};
// One per actor; null where it has none.
using ActorKernels = std::vector<std::shared_ptr<const ActorKernel>>;

// A port of a GPU actor as its kernel sees it.
struct KernelPort {
  MessageType type;  // of its channel's messages
  PhaseSequence rate;
};
// Of each actor, in declared order; empty for those on the CPU.
//
// REQUIRES: the graph's structure is right.
std::vector<std::vector<KernelPort>> kernel_ports(const GraphModel& model);

// Reads and compiles all kernels, each one once, and says which can't be used or do not fit.
//
// REQUIRES: the graph's structure is right.
ActorKernels check_kernels(const GraphModel& model, std::vector<Diagnostic>& diagnostics);

// The port whose elements are counted where the kernel says no groups: the first output, else the
// first input. REQUIRES: the actor has a port.
std::size_t counted_port(const ActorModel& actor);
// Workgroups of a firing that moves `messages` at that port: one invocation for each element.
std::uint64_t groups_for(std::int64_t messages, const MessageType& type,
                         const std::array<std::uint32_t, 3>& workgroup);

}  // namespace antiphon::analysis
