#include "device/host/host_device.hpp"

#include "device/checks.hpp"
#include "device/host/shared_state.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <new>
#include <utility>

namespace antiphon::device::host {

namespace {

class HostBuffer final : public Buffer {
 public:
  // A cache line, as Vulkan's buffers have it.
  static constexpr std::align_val_t alignment{64};

  HostBuffer(std::shared_ptr<Shared> shared, std::size_t bytes, bool mapped)
      : shared_(std::move(shared)),
        memory_(static_cast<std::byte*>(::operator new(bytes, alignment))),
        bytes_(bytes),
        mapped_(mapped) {}
  ~HostBuffer() override {
    ::operator delete(memory_, alignment);
    const std::lock_guard lock(shared_->mutex);
    shared_->memory_in_use -= bytes_;
  }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::byte* mapped() noexcept override { return mapped_ ? memory_ : nullptr; }
  std::size_t size() const noexcept override { return bytes_; }
  std::byte* memory() noexcept { return memory_; }

 private:
  std::shared_ptr<Shared> shared_;
  std::byte* memory_;
  std::size_t bytes_;
  bool mapped_;
};

class ThreadsDevice final : public HostDevice {
 public:
  explicit ThreadsDevice(HostOptions options)
      : shared_(std::make_shared<Shared>(std::move(options))) {
    shared_->jobs.resize(shared_->options.queues);
    for (std::uint32_t i = 0; i < shared_->options.queues; ++i) {
      threads_.emplace_back([shared = shared_, i] { shared->run(i); });
    }
  }
  ~ThreadsDevice() override {
    {
      const std::lock_guard lock(shared_->mutex);
      shared_->ending = true;
    }
    shared_->changed.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  ThreadsDevice(const ThreadsDevice&) = delete;
  ThreadsDevice& operator=(const ThreadsDevice&) = delete;

  const DeviceProfile& profile() const noexcept override { return shared_->options.profile; }

  Result<std::unique_ptr<Buffer>> make_buffer(const BufferSpec& spec) override {
    {
      const std::lock_guard lock(shared_->mutex);
      if (shared_->loss) return *shared_->loss;
      const auto& options = shared_->options;
      const bool fails = ++shared_->buffers == options.faults.failing_buffer;
      if (fails || spec.bytes > options.memory - shared_->memory_in_use) {
        return Failure{
            ErrorKind::out_of_memory,
            fmt::format(
                "channel '{}': no memory for {} bytes: '{}' has {} bytes, {} of them in use",
                spec.name, spec.bytes, profile().name, options.memory, shared_->memory_in_use)};
      }
      shared_->memory_in_use += spec.bytes;
    }
    return std::unique_ptr<Buffer>(
        std::make_unique<HostBuffer>(shared_, spec.bytes, spec.access != HostAccess::none));
  }

  Result<std::unique_ptr<Kernel>> make_kernel(const KernelSpec& spec) override {
    if (auto done = check_kernel(profile(), spec); !done) return done.failure();
    const auto found = shared_->options.kernels.find(spec.name);
    if (found == shared_->options.kernels.end()) {
      return Failure{ErrorKind::unsupported,
                     fmt::format("actor '{}': device '{}' has no function of this name", spec.name,
                                 profile().name)};
    }
    return std::unique_ptr<Kernel>(
        std::make_unique<HostKernel>(spec.name, spec.bindings, found->second));
  }

  Result<std::unique_ptr<Bindings>> make_bindings(const Kernel& kernel,
                                                  std::span<const Window> windows,
                                                  const std::string& name) override {
    const auto& made_here = static_cast<const HostKernel&>(kernel);
    if (auto done = check_windows(profile(), made_here.bindings(), windows, name); !done)
      return done.failure();
    std::vector<std::span<std::byte>> spans;
    std::vector<std::size_t> offsets;
    for (const auto& window : windows) {
      spans.emplace_back(static_cast<HostBuffer*>(window.buffer)->memory() + window.offset,
                         window.bytes);
      offsets.push_back(window.offset);
    }
    return std::unique_ptr<Bindings>(
        std::make_unique<HostBindings>(name, std::move(spans), std::move(offsets)));
  }

  std::uint32_t queue_count() const noexcept override { return shared_->options.queues; }

  Result<std::unique_ptr<Queue>> make_queue(std::uint32_t index, const std::string& name) override {
    if (index >= queue_count()) {
      return Failure{ErrorKind::misuse,
                     fmt::format("'{}' has {} queues, and queue '{}' is to be number {}",
                                 profile().name, queue_count(), name, index)};
    }
    const std::lock_guard lock(shared_->mutex);
    if (shared_->loss) return *shared_->loss;
    return std::unique_ptr<Queue>(std::make_unique<HostQueue>(shared_, index, name));
  }

  std::vector<std::string> validation_messages() const override { return {}; }

  std::vector<Recorded> recorded() const override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->recorded;
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::shared_ptr<HostDevice>> open(HostOptions options) {
  if (options.queues == 0) return Failure{ErrorKind::misuse, "a device needs a queue"};
  if (options.profile.storage_offset_alignment == 0) {
    return Failure{ErrorKind::misuse,
                   "an offset alignment of 0 bytes is none: 1 stands for any offset"};
  }
  return std::shared_ptr<HostDevice>(std::make_shared<ThreadsDevice>(std::move(options)));
}

}  // namespace antiphon::device::host
