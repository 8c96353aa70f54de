// What a Vulkan device makes: buffers, kernels, and the descriptor sets that bind one to the other.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/core.hpp"

#include <cstdint>
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

// Descriptor sets of one layout, from pools that grow by need; a set that comes back is given out
// again. Any thread.
class DescriptorSets {
 public:
  DescriptorSets(std::shared_ptr<Core> core, SetLayout layout, std::uint32_t bindings,
                 std::string name);

  Result<VkDescriptorSet> take();
  void give_back(VkDescriptorSet set) noexcept;
  VkDescriptorSetLayout layout() const noexcept { return layout_.get(); }
  Core& core() const noexcept { return *core_; }

 private:
  Status grow();  // REQUIRES: mutex_ is held

  std::shared_ptr<Core> core_;
  SetLayout layout_;
  std::uint32_t bindings_;
  std::string name_;
  std::mutex mutex_;
  std::vector<DescriptorPool> pools_;  // guarded by mutex_
  std::vector<VkDescriptorSet> free_;  // guarded by mutex_; has room for every set there is
  std::size_t count_ = 0;              // guarded by mutex_: sets there are
};

class VulkanKernel final : public Kernel {
 public:
  static Result<std::unique_ptr<Kernel>> make(std::shared_ptr<Core> core, const KernelSpec& spec);

  VkPipeline pipeline() const noexcept { return pipeline_.get(); }
  VkPipelineLayout layout() const noexcept { return layout_.get(); }
  std::uint32_t bindings() const noexcept { return bindings_; }
  const std::string& name() const noexcept { return name_; }
  const std::shared_ptr<DescriptorSets>& sets() const noexcept { return sets_; }

 private:
  explicit VulkanKernel(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  Status make_layout();
  Status make_pipeline(const KernelSpec& spec);

  std::shared_ptr<Core> core_;
  std::string name_;
  std::uint32_t bindings_ = 0;
  std::shared_ptr<DescriptorSets> sets_;
  PipelineLayout layout_;
  Pipeline pipeline_;
};

class VulkanBindings final : public Bindings {
 public:
  // REQUIRES: check_windows() passed.
  static Result<std::unique_ptr<Bindings>> make(const VulkanKernel& kernel,
                                                std::span<const Window> windows,
                                                const std::string& name);
  ~VulkanBindings() override { sets_->give_back(set_); }

  VkDescriptorSet set() const noexcept { return set_; }
  std::uint32_t count() const noexcept { return count_; }

 private:
  VulkanBindings(std::shared_ptr<DescriptorSets> sets, VkDescriptorSet set, std::uint32_t count)
      : sets_(std::move(sets)), set_(set), count_(count) {}

  std::shared_ptr<DescriptorSets> sets_;
  VkDescriptorSet set_;
  std::uint32_t count_;
};

}  // namespace antiphon::device::vulkan
