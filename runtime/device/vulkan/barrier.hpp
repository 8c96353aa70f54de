// The barriers that there are: between dispatches, and before the host reads. Their first half
// reaches back over everything submitted earlier to the same queue, in this command buffer or
// before it.
#pragma once

#include "device/device.hpp"

#include <volk.h>

namespace antiphon::device::vulkan {

inline void between_dispatches(const VolkDeviceTable& table, VkCommandBuffer commands,
                               Barrier barrier) {
  if (barrier == Barrier::none) return;
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
  table.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0,
                             barrier == Barrier::memory ? 1 : 0, &memory, 0, nullptr, 0, nullptr);
}

// A semaphore's signal alone does not make shader writes visible to the host.
inline void before_host_reads(const VolkDeviceTable& table, VkCommandBuffer commands) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  table.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

inline void before_host_reads_of_copies(const VolkDeviceTable& table, VkCommandBuffer commands) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  table.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                             0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace antiphon::device::vulkan
