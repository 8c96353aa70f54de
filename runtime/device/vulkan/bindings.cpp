#include "device/vulkan/objects.hpp"
#include "device/vulkan/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// The first pool of a kernel; each further one doubles what there is.
constexpr std::size_t first_pool = 16;
constexpr std::size_t largest_pool = 4096;

}  // namespace

DescriptorSets::DescriptorSets(std::shared_ptr<Core> core, SetLayout layout, std::uint32_t bindings,
                               std::string name)
    : core_(std::move(core)),
      layout_(std::move(layout)),
      bindings_(bindings),
      name_(std::move(name)) {}

Status DescriptorSets::grow() {
  const auto more = std::clamp(count_, first_pool, largest_pool);
  const auto sets = static_cast<std::uint32_t>(more);
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bindings_ * sets};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = sets;
  info.poolSizeCount = bindings_ > 0 ? 1 : 0;
  info.pPoolSizes = &size;
  VkDescriptorPool handle = VK_NULL_HANDLE;
  auto result = core_->table.vkCreateDescriptorPool(core_->device, &info, nullptr, &handle);
  if (result != VK_SUCCESS) {
    return core_->failed(
        result, fmt::format("actor '{}': no pool for {} more sets of windows", name_, more));
  }
  auto pool = core_->own<DescriptorPool>(VK_OBJECT_TYPE_DESCRIPTOR_POOL, handle, name_);
  const std::vector<VkDescriptorSetLayout> layouts(more, layout_.get());
  std::vector<VkDescriptorSet> made(more);
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = handle;
  allocate.descriptorSetCount = sets;
  allocate.pSetLayouts = layouts.data();
  result = core_->table.vkAllocateDescriptorSets(core_->device, &allocate, made.data());
  if (result != VK_SUCCESS) {
    return core_->failed(
        result, fmt::format("actor '{}': no memory for {} more sets of windows", name_, more));
  }
  free_.reserve(count_ + more);
  free_.insert(free_.end(), made.begin(), made.end());
  pools_.push_back(std::move(pool));
  count_ += more;
  return {};
}

Result<VkDescriptorSet> DescriptorSets::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (auto done = grow(); !done) return done.failure();
  }
  const auto set = free_.back();
  free_.pop_back();
  return set;
}

void DescriptorSets::give_back(VkDescriptorSet set) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(set);
}

Result<std::unique_ptr<Bindings>> VulkanBindings::make(const VulkanKernel& kernel,
                                                       std::span<const Window> windows,
                                                       const std::string& name) {
  auto& core = kernel.sets()->core();
  if (core.lost()) return core.loss();
  std::vector<VkDescriptorBufferInfo> buffers(windows.size());
  std::vector<VkWriteDescriptorSet> writes(windows.size());
  auto set = kernel.sets()->take();
  if (!set) return set.failure();
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& window = windows[i];
    buffers[i].buffer = static_cast<VulkanBuffer*>(window.buffer)->handle();
    // A window of no bytes still needs a descriptor: the buffer's first word, which each has.
    buffers[i].offset = window.bytes > 0 ? window.offset : 0;
    buffers[i].range = window.bytes > 0 ? window.bytes : 4;
    writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    writes[i].dstSet = *set;
    writes[i].dstBinding = static_cast<std::uint32_t>(i);
    writes[i].descriptorCount = 1;
    writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    writes[i].pBufferInfo = &buffers[i];
  }
  core.table.vkUpdateDescriptorSets(core.device, static_cast<std::uint32_t>(writes.size()),
                                    writes.data(), 0, nullptr);
  core.set_name(VK_OBJECT_TYPE_DESCRIPTOR_SET, *set, name);
  return std::unique_ptr<Bindings>(new VulkanBindings(kernel.sets(), *set, kernel.bindings()));
}

}  // namespace antiphon::device::vulkan
