#include "device/vulkan/vulkan_device.hpp"

#include "device/vulkan/core.hpp"
#include "device/vulkan/objects.hpp"
#include "device/vulkan/queue.hpp"

#include <fmt/format.h>

#include <utility>

namespace antiphon::device::vulkan {

namespace {

class VulkanDevice final : public Device {
 public:
  explicit VulkanDevice(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  const profile::Profile& profile() const noexcept override { return core_->profile; }
  Result<std::unique_ptr<Buffer>> make_buffer(const BufferSpec& spec) override {
    return VulkanBuffer::make(core_, spec);
  }
  Result<std::unique_ptr<Kernel>> make_kernel(const KernelSpec& spec) override {
    return VulkanKernel::make(core_, spec);
  }
  Result<std::unique_ptr<Bindings>> make_bindings(const Kernel& kernel, std::span<const Window> windows,
                                                  const std::string& name) override {
    return VulkanBindings::make(core_, static_cast<const VulkanKernel&>(kernel), windows, name);
  }
  std::uint32_t queue_count() const noexcept override { return 1; }
  Result<std::unique_ptr<Queue>> make_queue(std::uint32_t index, const std::string& name) override {
    if (index >= queue_count()) {
      return Failure{ErrorKind::misuse, fmt::format("queue {} of '{}' does not exist", index, core_->profile.device)};
    }
    return VulkanQueue::make(core_, name);
  }
  std::vector<std::string> validation_messages() const override { return core_->instance->messages(); }

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

}  // namespace antiphon::device::vulkan
