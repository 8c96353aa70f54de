// Objects of a device that free themselves.
#pragma once

#include <volk.h>

#include <utility>

namespace antiphon::device::vulkan {

// `Destroy` is the function of the device's table that ends it. Whoever owns one keeps the table
// and the device alive. Move-only.
template <typename Handle, auto Destroy>
class Owned {
 public:
  Owned() = default;
  Owned(const VolkDeviceTable& table, VkDevice device, Handle handle)
      : table_(&table), device_(device), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : table_(other.table_),
        device_(other.device_),
        handle_(std::exchange(other.handle_, Handle{})) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) (table_->*Destroy)(device_, handle_, nullptr);
  }

  Handle get() const noexcept { return handle_; }

 private:
  const VolkDeviceTable* table_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_{};
};

using CommandPool = Owned<VkCommandPool, &VolkDeviceTable::vkDestroyCommandPool>;
using DescriptorPool = Owned<VkDescriptorPool, &VolkDeviceTable::vkDestroyDescriptorPool>;
using Fence = Owned<VkFence, &VolkDeviceTable::vkDestroyFence>;
using Pipeline = Owned<VkPipeline, &VolkDeviceTable::vkDestroyPipeline>;
using PipelineCache = Owned<VkPipelineCache, &VolkDeviceTable::vkDestroyPipelineCache>;
using PipelineLayout = Owned<VkPipelineLayout, &VolkDeviceTable::vkDestroyPipelineLayout>;
using QueryPool = Owned<VkQueryPool, &VolkDeviceTable::vkDestroyQueryPool>;
using Semaphore = Owned<VkSemaphore, &VolkDeviceTable::vkDestroySemaphore>;
using SetLayout = Owned<VkDescriptorSetLayout, &VolkDeviceTable::vkDestroyDescriptorSetLayout>;
using ShaderModule = Owned<VkShaderModule, &VolkDeviceTable::vkDestroyShaderModule>;

}  // namespace antiphon::device::vulkan
