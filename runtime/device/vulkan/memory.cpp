#include "device/vulkan/objects.hpp"
#include "device/vulkan/result.hpp"
#include "profile/usable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// Vulkan knows no empty buffers, and a descriptor none of no bytes; whole words keep a kernel's
// last word within the buffer.
constexpr VkDeviceSize word = 4;
// A cache line: the host's writes to one ring don't disturb the device's to its neighbour in
// memory, and message types with wide alignment fit.
constexpr VkDeviceSize alignment = 64;

VmaAllocationCreateInfo memory_for(HostAccess access) {
  VmaAllocationCreateInfo info{};
  // VMA goes on to the next memory that fits where a heap is full: the small window that some GPUs
  // show of their memory to the host is a heap of its own.
  info.usage = VMA_MEMORY_USAGE_AUTO;
  info.flags = VMA_ALLOCATION_CREATE_WITHIN_BUDGET_BIT;
  if (access == HostAccess::none) {
    info.usage = VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE;
    return info;
  }
  info.flags |= VMA_ALLOCATION_CREATE_MAPPED_BIT;
  info.requiredFlags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (access == HostAccess::write) {
    info.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT;
    info.preferredFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  } else {
    // From memory that is not cached the host reads slower by an order of magnitude.
    info.flags |= VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
    info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  }
  return info;
}

// What is left of each heap that has memory of these properties.
std::string room(const Core& core, VkMemoryPropertyFlags wanted) {
  std::array<VmaBudget, VK_MAX_MEMORY_HEAPS> budgets{};
  vmaGetHeapBudgets(core.allocator, budgets.data());
  const VkPhysicalDeviceMemoryProperties* memory = nullptr;
  vmaGetMemoryProperties(core.allocator, &memory);
  std::string text;
  for (std::uint32_t heap = 0; heap < memory->memoryHeapCount; ++heap) {
    const auto* const types = memory->memoryTypes;
    const bool fits =
        std::any_of(types, types + memory->memoryTypeCount, [&](const VkMemoryType& type) {
          return type.heapIndex == heap && (type.propertyFlags & wanted) == wanted;
        });
    if (!fits) continue;
    text += fmt::format("{}heap {} of '{}' has {} bytes, {} of them in use, {} may be",
                        text.empty() ? "" : "; ", heap, core.profile.name,
                        memory->memoryHeaps[heap].size, budgets[heap].usage, budgets[heap].budget);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<Buffer>> VulkanBuffer::make(std::shared_ptr<Core> core,
                                                   const BufferSpec& spec) {
  std::unique_ptr<VulkanBuffer> buffer(new VulkanBuffer(std::move(core)));
  auto& c = *buffer->core_;
  if (c.lost()) return c.loss();
  auto allocation = memory_for(spec.access);
  // Sizes that no heap can hold are not a driver's to judge: some add to them and wrap.
  const auto largest = profile::largest_buffer(c.profile);
  if (spec.bytes > largest) {
    return Failure{
        ErrorKind::out_of_memory,
        fmt::format("channel '{}' needs {} bytes in one piece, and '{}' gives at most {}",
                    spec.name, spec.bytes, c.profile.name, largest)};
  }
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = std::max<VkDeviceSize>((spec.bytes + word - 1) / word * word, word);
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  if (c.families.size() > 1) {
    info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    info.queueFamilyIndexCount = static_cast<std::uint32_t>(c.families.size());
    info.pQueueFamilyIndices = c.families.data();
  }
  VmaAllocationInfo made{};
  const auto result = vmaCreateBufferWithAlignment(c.allocator, &info, &allocation, alignment,
                                                   &buffer->buffer_, &buffer->allocation_, &made);
  if (result != VK_SUCCESS) {
    return c.failed(result, fmt::format("channel '{}': no memory for {} bytes: {}", spec.name,
                                        spec.bytes, room(c, allocation.requiredFlags)));
  }
  if (spec.access != HostAccess::none) buffer->mapped_ = static_cast<std::byte*>(made.pMappedData);
  buffer->size_ = spec.bytes;
  vmaSetAllocationName(c.allocator, buffer->allocation_, spec.name.c_str());
  c.set_name(VK_OBJECT_TYPE_BUFFER, buffer->buffer_, spec.name);
  return std::unique_ptr<Buffer>(std::move(buffer));
}

VulkanBuffer::~VulkanBuffer() {
  if (buffer_ != VK_NULL_HANDLE) vmaDestroyBuffer(core_->allocator, buffer_, allocation_);
}

}  // namespace antiphon::device::vulkan
