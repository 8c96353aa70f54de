// Does the graph fit a device: its limits, its features and its memory?
#pragma once

#include "check/kernels.hpp"
#include "check/subject.hpp"

#include <antiphon/device_profile.hpp>
#include <antiphon/diagnostic.hpp>

#include <vector>

namespace antiphon::analysis {

// Bytes that the messages of channels take where each has just its capacity: no plan needs less.
// Unbounded channels count nothing.
MemoryFacts memory_of(const Subject& subject);

// `kernels` as check_kernels found them; what it could not read is left out.
void check_device(const Subject& subject, const ActorKernels& kernels, const DeviceProfile& device,
                  std::vector<Diagnostic>& diagnostics);

}  // namespace antiphon::analysis
