#include "device/vulkan/vulkan_device.hpp"

#include "device/checks.hpp"
#include "device/vulkan/core.hpp"
#include "device/vulkan/objects.hpp"
#include "device/vulkan/open.hpp"
#include "device/vulkan/queue.hpp"

#include <fmt/format.h>

#include <utility>

namespace antiphon::device::vulkan {

namespace {

class VulkanDevice final : public Device {
 public:
  explicit VulkanDevice(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  const DeviceProfile& profile() const noexcept override { return core_->profile; }
  Result<std::unique_ptr<Buffer>> make_buffer(const BufferSpec& spec) override {
    return VulkanBuffer::make(core_, spec);
  }
  Result<std::unique_ptr<Kernel>> make_kernel(const KernelSpec& spec) override {
    if (auto done = check_kernel(core_->profile, spec); !done) return done.failure();
    return VulkanKernel::make(core_, spec);
  }
  Result<std::unique_ptr<Bindings>> make_bindings(const Kernel& kernel,
                                                  std::span<const Window> windows,
                                                  const std::string& name) override {
    const auto& made_here = static_cast<const VulkanKernel&>(kernel);
    if (auto done = check_windows(core_->profile, made_here.bindings(), windows, name); !done) {
      return done.failure();
    }
    return VulkanBindings::make(made_here, windows, name);
  }
  std::uint32_t queue_count() const noexcept override {
    return static_cast<std::uint32_t>(core_->queues.size());
  }
  Result<std::unique_ptr<Queue>> make_queue(std::uint32_t index, const std::string& name) override {
    if (index >= queue_count()) {
      return Failure{ErrorKind::misuse,
                     fmt::format("'{}' has {} queues, and queue '{}' is to be number {}",
                                 core_->profile.name, queue_count(), name, index)};
    }
    return VulkanQueue::make(core_, index, name);
  }
  std::vector<std::string> validation_messages() const override {
    return core_->instance->messages();
  }

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace

Result<std::shared_ptr<device::Device>> open(const OpenOptions& options) {
  auto instance = Instance::make(options.validation);
  if (!instance) return instance.failure();
  auto core = Core::open(std::move(*instance), options.device);
  if (!core) return core.failure();
  return std::shared_ptr<device::Device>(std::make_shared<VulkanDevice>(std::move(*core)));
}

Result<std::vector<DeviceProfile>> list() {
  const auto instance = Instance::make(false);
  if (!instance) return instance.failure();
  return device_profiles(**instance);
}

}  // namespace antiphon::device::vulkan
