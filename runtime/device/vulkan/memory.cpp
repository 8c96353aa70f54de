#include "device/vulkan/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// The largest heap that memory of these properties may come from, and what is left of it.
std::string room(const Core& core, VkMemoryPropertyFlags wanted) {
  std::array<VmaBudget, VK_MAX_MEMORY_HEAPS> budgets{};
  vmaGetHeapBudgets(core.allocator, budgets.data());
  const VkPhysicalDeviceMemoryProperties* memory = nullptr;
  vmaGetMemoryProperties(core.allocator, &memory);
  std::uint32_t best = UINT32_MAX;
  for (std::uint32_t i = 0; i < memory->memoryTypeCount; ++i) {
    const auto heap = memory->memoryTypes[i].heapIndex;
    if ((memory->memoryTypes[i].propertyFlags & wanted) != wanted) continue;
    if (best == UINT32_MAX || memory->memoryHeaps[heap].size > memory->memoryHeaps[best].size) best = heap;
  }
  if (best == UINT32_MAX) return "the device has no such memory";
  return fmt::format("heap {} has {} bytes, of which {} are in use and {} may be", best,
                     memory->memoryHeaps[best].size, budgets[best].usage, budgets[best].budget);
}

}  // namespace

Result<std::unique_ptr<Buffer>> VulkanBuffer::make(std::shared_ptr<Core> core, const BufferSpec& spec) {
  std::unique_ptr<VulkanBuffer> buffer(new VulkanBuffer(std::move(core)));
  auto& c = *buffer->core_;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = std::max<std::size_t>(spec.bytes, 4);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;  // one queue family is used
  VmaAllocationCreateInfo allocation{};
  allocation.usage = VMA_MEMORY_USAGE_AUTO;
  switch (spec.access) {
    case HostAccess::none:
      allocation.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      break;
    case HostAccess::write:
      allocation.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT;
      allocation.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
      allocation.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
      break;
    case HostAccess::read:
    case HostAccess::read_write:
      allocation.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
      // Reading uncached memory on the host is slower by an order of magnitude than from cached memory.
      allocation.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
      allocation.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
      break;
  }
  VmaAllocationInfo made{};
  const auto result =
      vmaCreateBuffer(c.allocator, &info, &allocation, &buffer->buffer_, &buffer->allocation_, &made);
  if (result != VK_SUCCESS) {
    return Failure{kind_of(result), fmt::format("channel '{}': no buffer of {} bytes: {}; {}", spec.name,
                                                info.size, name(result), room(c, allocation.requiredFlags))};
  }
  buffer->mapped_ = static_cast<std::byte*>(made.pMappedData);
  buffer->size_ = info.size;
  vmaSetAllocationName(c.allocator, buffer->allocation_, spec.name.c_str());
  c.set_name(VK_OBJECT_TYPE_BUFFER, buffer->buffer_, spec.name);
  return std::unique_ptr<Buffer>(std::move(buffer));
}

VulkanBuffer::~VulkanBuffer() {
  if (buffer_ != VK_NULL_HANDLE) vmaDestroyBuffer(core_->allocator, buffer_, allocation_);
}

}  // namespace antiphon::device::vulkan
