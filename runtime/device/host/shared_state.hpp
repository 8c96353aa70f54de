// What the parts of a host device share.
#pragma once

#include "device/device.hpp"
#include "device/host/host_device.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace antiphon::device::host {

class HostKernel final : public Kernel {
 public:
  HostKernel(std::string name, std::uint32_t bindings, Function function)
      : name_(std::move(name)), bindings_(bindings), function_(std::move(function)) {}

  const std::string& name() const noexcept { return name_; }
  std::uint32_t bindings() const noexcept { return bindings_; }
  const Function& function() const noexcept { return function_; }

 private:
  std::string name_;
  std::uint32_t bindings_;
  Function function_;
};

class HostBindings final : public Bindings {
 public:
  HostBindings(std::string name, std::vector<std::span<std::byte>> windows,
               std::vector<std::size_t> offsets)
      : name_(std::move(name)), windows_(std::move(windows)), offsets_(std::move(offsets)) {}

  const std::string& name() const noexcept { return name_; }
  const std::vector<std::span<std::byte>>& windows() const noexcept { return windows_; }
  const std::vector<std::size_t>& offsets() const noexcept { return offsets_; }

 private:
  std::string name_;
  std::vector<std::span<std::byte>> windows_;
  std::vector<std::size_t> offsets_;
};

struct Shared;

// The state of one timeline, which its queue's thread and its user hold.
struct HostTimeline {
  std::string name;
  std::uint64_t submitted = 0;
  std::uint64_t completed = 0;
  bool running = false;  // a batch of it
  struct Done {
    std::uint64_t value = 0;
    std::vector<Span> spans;
  };
  std::deque<Done> done;  // by value; not collected yet
};

// A batch on its way.
struct Job {
  std::shared_ptr<HostTimeline> timeline;
  std::uint64_t value = 0;
  Batch batch;
  bool measure = false;
};

// One mutex for the whole device: it is for tests, not for speed.
struct Shared {
  explicit Shared(HostOptions given) : options(std::move(given)) {}

  const HostOptions options;
  mutable std::mutex mutex;
  std::condition_variable changed;  // a job, a completion, the loss or the end
  // All guarded by mutex:
  std::vector<std::deque<Job>> jobs;  // by queue
  std::vector<Recorded> recorded;
  std::optional<Failure> loss;
  std::uint64_t submits = 0;
  std::uint64_t batches = 0;
  std::uint64_t buffers = 0;
  std::size_t memory_in_use = 0;
  bool ending = false;

  // What the thread of one queue does until the device ends.
  void run(std::uint32_t queue);
};

class HostQueue final : public Queue {
 public:
  HostQueue(std::shared_ptr<Shared> shared, std::uint32_t index, std::string name);
  // Waits for what it has submitted.
  ~HostQueue() override;

  Result<std::uint64_t> submit(std::span<const Batch> batches, bool measure) override;
  Result<std::uint64_t> completed() override;
  Result<WaitResult> wait(std::uint64_t value, std::chrono::nanoseconds at_most) override;
  Result<std::vector<Span>> collect(std::uint64_t value) override;

 private:
  Status check(const Dispatch& dispatch) const;

  std::shared_ptr<Shared> shared_;
  std::uint32_t index_;
  std::shared_ptr<HostTimeline> timeline_;  // guarded by the device's mutex, but for its name
};

}  // namespace antiphon::device::host
