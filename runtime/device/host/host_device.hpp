// A device made of threads, for tests: one thread per queue runs batches in order, kernels are C++
// functions. It has the limits that it is given, records what it was asked to do, and fails on
// demand.
//
//   auto device = host::open({.kernels = {{"double", [](auto windows, auto groups) { … }}}});
//
// On it the thread sanitizer sees all that an engine and a device do to each other.
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"

#include <antiphon/device_profile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace antiphon::device::host {

// What a kernel does in one dispatch: its windows, in the order of its bindings, and the
// workgroups. It may block, which keeps its queue busy for as long.
using Function = std::function<void(std::span<const std::span<std::byte>> windows,
                                    std::array<std::uint32_t, 3> groups)>;

// Failures on demand. Counted from 1 over the life of the device; 0: none.
struct Faults {
  std::uint64_t failing_submit = 0;  // this call of submit fails, out of memory; later ones work
  std::uint64_t losing_batch = 0;    // the device is lost when it comes to this batch
  std::uint64_t failing_buffer = 0;  // this buffer finds no memory
};

struct HostOptions {
  std::map<std::string, Function> kernels = {};  // by the kernel's name: KernelSpec::name
  DeviceProfile profile = {.name = "host",
                           .driver = "threads",
                           .storage_offset_alignment = 1,
                           .max_storage_range = SIZE_MAX,
                           .max_allocation = SIZE_MAX,
                           .features = {"timelineSemaphore"}};
  std::uint32_t queues = 1;
  std::size_t memory = std::size_t{1} << 30;  // bytes that all buffers together may have
  Faults faults = {};
};

// A dispatch that was submitted.
struct Recorded {
  std::uint32_t queue = 0;  // of the device
  std::string timeline;     // the name that make_queue was given
  std::uint64_t value = 0;  // that its batch signals
  Barrier before = Barrier::none;
  std::string kernel;
  std::string bindings;  // the name that make_bindings was given
  std::array<std::uint32_t, 3> groups{};
  std::vector<std::size_t> offsets;  // of its windows, bytes
  bool host_reads = false;           // of its batch
};

class HostDevice : public Device {
 public:
  // All that was submitted so far, in the order of submission on each queue. Any thread.
  virtual std::vector<Recorded> recorded() const = 0;
};

// Fails with misuse where the options make no device. Any thread.
Result<std::shared_ptr<HostDevice>> open(HostOptions options);

}  // namespace antiphon::device::host
