// What any device does: buffers, kernels, and queues that take batches and say when they are done.
//
//   auto buffer   = device.make_buffer({.name = "count.n -> square.x", .bytes = 4096});
//   auto kernel   = device.make_kernel({.name = "square", .spirv = words, .bindings = 2});
//   auto bindings = device.make_bindings(**kernel, windows, "square");   // once per set of windows
//   auto value    = queue.submit(batches);          // a timepoint on the queue's own timeline
//   queue.wait(*value, 1s);                         // sleeps; a time-out is not a completion
//
// Submission order orders no memory: a batch says where its barriers are.
#pragma once

#include "base/result.hpp"

#include <antiphon/device_profile.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace antiphon::device {

// What the host does with a buffer while work is in flight.
enum class HostAccess {
  none,   // GPU to GPU: the memory need not be mapped
  write,  // the host writes, the device reads
  read,   // the device writes, the host reads: host-cached memory
  read_write,
};

struct BufferSpec {
  std::string name;  // the channel it belongs to
  std::size_t bytes = 0;
  HostAccess access = HostAccess::read_write;
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  // Null for HostAccess::none where the memory is not mapped. Host-coherent.
  virtual std::byte* mapped() noexcept = 0;
  virtual std::size_t size() const noexcept = 0;
};

struct KernelSpec {
  std::string name;  // the actor it belongs to
  std::vector<std::uint32_t> spirv;
  std::string entry = "main";
  std::vector<std::pair<std::uint32_t, std::uint32_t>> constants;  // id, bits
  std::uint32_t bindings = 0;  // storage buffers at set 0, binding 0 … bindings - 1
};

class Kernel {
 public:
  virtual ~Kernel() = default;
};

// The bytes of one port in one firing.
struct Window {
  Buffer* buffer = nullptr;
  std::size_t offset = 0;  // a multiple of the device's storage buffer offset alignment
  std::size_t bytes = 0;
};

// A kernel's buffers, fixed: made once, used by any number of dispatches.
class Bindings {
 public:
  virtual ~Bindings() = default;
};

enum class Barrier {
  none,
  execution,  // write-after-read: the earlier has ended before the later starts
  memory,     // read-after-write, write-after-write: and what it wrote is seen
};

struct Dispatch {
  Barrier before =
      Barrier::none;  // between all earlier dispatches of the queue and this and later ones
  const Kernel* kernel = nullptr;
  const Bindings* bindings = nullptr;
  std::array<std::uint32_t, 3> groups{1, 1, 1};
};

// Dispatches that become known as done together.
struct Batch {
  std::vector<Dispatch> dispatches;
  bool host_reads = false;  // the host will read what they wrote
};

// Of one dispatch, in ns on the host's steady clock (as std::chrono::steady_clock counts).
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

enum class WaitResult { reached, timed_out };

// First in, first out, with one timeline: value v means that everything submitted up to v is
// complete.
class Queue {
 public:
  virtual ~Queue() = default;

  // Submits the batches at once; they get the next values, one each, and the last is returned. A
  // value is promised only when this succeeds. One thread at a time; never blocks on the device.
  // Reading clocks costs two timestamps a dispatch and happens only with `measure`.
  virtual Result<std::uint64_t> submit(std::span<const Batch> batches, bool measure) = 0;
  // The last value known reached. Any thread.
  virtual Result<std::uint64_t> completed() = 0;
  // Sleeps until `value` is reached or the time is up. Any thread.
  virtual Result<WaitResult> wait(std::uint64_t value, std::chrono::nanoseconds at_most) = 0;
  // When each dispatch of the batch with this value ran; empty when it was not measured. Takes the
  // record and lets its resources be used again: call it once for each value that has been reached,
  // in order.
  virtual Result<std::vector<Span>> collect(std::uint64_t value) = 0;
};

// Any thread, unless a call says otherwise. Buffers, kernels and bindings must outlive the work
// that uses them, and be destroyed before the device.
class Device {
 public:
  virtual ~Device() = default;

  // Something on it does not end: what is in flight is never known complete, and no new plan should
  // use it.
  void abandon() noexcept { abandoned_.store(true, std::memory_order_release); }
  bool abandoned() const noexcept { return abandoned_.load(std::memory_order_acquire); }

  virtual const DeviceProfile& profile() const noexcept = 0;
  virtual Result<std::unique_ptr<Buffer>> make_buffer(const BufferSpec& spec) = 0;
  virtual Result<std::unique_ptr<Kernel>> make_kernel(const KernelSpec& spec) = 0;
  // Window i is binding i.
  virtual Result<std::unique_ptr<Bindings>> make_bindings(const Kernel& kernel,
                                                          std::span<const Window> windows,
                                                          const std::string& name) = 0;
  virtual std::uint32_t queue_count() const noexcept = 0;
  // A device queue may be shared by several runs: they take turns through `make_queue`, one
  // timeline each, submissions serialised inside.
  virtual Result<std::unique_ptr<Queue>> make_queue(std::uint32_t index,
                                                    const std::string& name) = 0;
  // Messages of the validation layers so far; empty where none are loaded.
  virtual std::vector<std::string> validation_messages() const = 0;

 private:
  std::atomic<bool> abandoned_{false};
};

}  // namespace antiphon::device
