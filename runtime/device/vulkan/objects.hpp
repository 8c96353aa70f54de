// What a Vulkan device makes: buffers, kernels, and the descriptor sets that bind one to the other.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/core.hpp"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

class VulkanBuffer final : public Buffer {
 public:
  static Result<std::unique_ptr<Buffer>> make(std::shared_ptr<Core> core, const BufferSpec& spec);
  ~VulkanBuffer() override;

  std::byte* mapped() noexcept override { return mapped_; }
  std::size_t size() const noexcept override { return size_; }
  VkBuffer handle() const noexcept { return buffer_; }

 private:
  explicit VulkanBuffer(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  std::shared_ptr<Core> core_;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VmaAllocation allocation_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
  std::size_t size_ = 0;
};

// Descriptor sets for one kernel's layout, from pools that grow by need. Any thread.
class SetPools {
 public:
  SetPools(std::shared_ptr<Core> core, VkDescriptorSetLayout layout, std::uint32_t bindings, std::string name);
  ~SetPools();
  SetPools(const SetPools&) = delete;
  SetPools& operator=(const SetPools&) = delete;

  Result<VkDescriptorSet> take();
  void give_back(VkDescriptorSet set) noexcept;

 private:
  std::shared_ptr<Core> core_;
  VkDescriptorSetLayout layout_;  // owned
  std::uint32_t bindings_;
  std::string name_;
  std::mutex mutex_;
  std::vector<VkDescriptorPool> pools_;  // guarded by mutex_
  std::vector<VkDescriptorSet> free_;    // guarded by mutex_
};

class VulkanKernel final : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> make(std::shared_ptr<Core> core, const KernelSpec& spec);
  ~VulkanKernel() override;

  VkPipeline pipeline() const noexcept { return pipeline_; }
  VkPipelineLayout layout() const noexcept { return layout_; }
  std::uint32_t bindings() const noexcept { return bindings_; }
  const std::string& name() const noexcept { return name_; }
  const std::shared_ptr<SetPools>& sets() const noexcept { return sets_; }

 private:
  explicit VulkanKernel(std::shared_ptr<Core> core) : core_(std::move(core)) {}

  std::shared_ptr<Core> core_;
  std::string name_;
  std::uint32_t bindings_ = 0;
  std::shared_ptr<SetPools> sets_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

class VulkanBindings final : public Bindings {
 public:
  static Result<std::unique_ptr<Bindings>> make(const std::shared_ptr<Core>& core, const VulkanKernel& kernel,
                                                std::span<const Window> windows, const std::string& name);
  ~VulkanBindings() override;
  VkDescriptorSet set() const noexcept { return set_; }

 private:
  VulkanBindings(std::shared_ptr<SetPools> pools, VkDescriptorSet set) : pools_(std::move(pools)), set_(set) {}

  std::shared_ptr<SetPools> pools_;
  VkDescriptorSet set_;
};

}  // namespace antiphon::device::vulkan
