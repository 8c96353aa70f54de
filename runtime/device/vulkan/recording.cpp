#include "device/vulkan/recording.hpp"

#include "device/vulkan/barrier.hpp"
#include "device/vulkan/objects.hpp"
#include "device/vulkan/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::device::vulkan {

Result<std::unique_ptr<Recording>> Recording::make(Core& core, std::uint32_t family,
                                                   const std::string& name) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  info.queueFamilyIndex = family;
  VkCommandPool handle = VK_NULL_HANDLE;
  auto result = core.table.vkCreateCommandPool(core.device, &info, nullptr, &handle);
  if (result != VK_SUCCESS)
    return core.failed(result, fmt::format("queue '{}': no pool for commands", name));
  auto pool = core.own<CommandPool>(VK_OBJECT_TYPE_COMMAND_POOL, handle, name);
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = handle;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  result = core.table.vkAllocateCommandBuffers(core.device, &allocate, &commands);
  if (result != VK_SUCCESS)
    return core.failed(result, fmt::format("queue '{}': no command buffer", name));
  core.set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, commands, name);
  return std::unique_ptr<Recording>(new Recording(core, std::move(pool), commands, name));
}

Status Recording::make_room(std::uint32_t dispatches) {
  if (room_ >= dispatches) return {};
  const auto room = std::max({dispatches, 2 * room_, 4U});
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2 * room;
  VkQueryPool handle = VK_NULL_HANDLE;
  const auto result = core_.table.vkCreateQueryPool(core_.device, &info, nullptr, &handle);
  if (result != VK_SUCCESS) {
    return core_.failed(
        result, fmt::format("queue '{}': no timestamps for {} dispatches", name_, dispatches));
  }
  queries_ = core_.own<QueryPool>(VK_OBJECT_TYPE_QUERY_POOL, handle, name_);
  room_ = 0;  // until both are there
  if (auto done = make_read_back(room); !done) return done;
  room_ = room;
  return {};
}

Status Recording::make_read_back(std::uint32_t dispatches) {
  if (read_back_ != VK_NULL_HANDLE) {
    vmaDestroyBuffer(core_.allocator, std::exchange(read_back_, VK_NULL_HANDLE), read_back_memory_);
  }
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = dispatches * sizeof(Timestamps);
  info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VmaAllocationCreateInfo allocation{};
  allocation.usage = VMA_MEMORY_USAGE_AUTO;
  allocation.flags =
      VMA_ALLOCATION_CREATE_MAPPED_BIT | VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT;
  allocation.requiredFlags =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  allocation.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  VmaAllocationInfo made{};
  const auto result =
      vmaCreateBuffer(core_.allocator, &info, &allocation, &read_back_, &read_back_memory_, &made);
  if (result != VK_SUCCESS) {
    return core_.failed(
        result, fmt::format("queue '{}': no memory for the timestamps of {} dispatches", name_,
                            dispatches));
  }
  ticks_ = static_cast<const Timestamps*>(made.pMappedData);
  core_.set_name(VK_OBJECT_TYPE_BUFFER, read_back_, name_);
  return {};
}

Recording::~Recording() {
  if (read_back_ != VK_NULL_HANDLE) {
    vmaDestroyBuffer(core_.allocator, read_back_, read_back_memory_);
  }
}

Status Recording::record(const Batch& batch, bool measure) {
  const auto& table = core_.table;
  const auto dispatches = static_cast<std::uint32_t>(batch.dispatches.size());
  measured_ = measure ? dispatches : 0;
  if (auto done = make_room(measured_); !done) return done;
  auto result = table.vkResetCommandPool(core_.device, pool_.get(), 0);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (result == VK_SUCCESS) result = table.vkBeginCommandBuffer(commands_, &begin);
  if (result == VK_SUCCESS) {
    if (measured_ > 0) table.vkCmdResetQueryPool(commands_, queries_.get(), 0, 2 * measured_);
    VkPipeline bound = VK_NULL_HANDLE;
    for (std::uint32_t i = 0; i < dispatches; ++i)
      record_dispatch(batch.dispatches[i], bound, 2 * i);
    if (measured_ > 0) {
      table.vkCmdCopyQueryPoolResults(commands_, queries_.get(), 0, 2 * measured_, read_back_, 0,
                                      sizeof(std::uint64_t),
                                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
      before_host_reads_of_copies(table, commands_);
    }
    if (batch.host_reads) before_host_reads(table, commands_);
    result = table.vkEndCommandBuffer(commands_);
  }
  if (result != VK_SUCCESS)
    return core_.failed(result, fmt::format("queue '{}': a batch was not recorded", name_));
  return {};
}

void Recording::record_dispatch(const Dispatch& dispatch, VkPipeline& bound, std::uint32_t query) {
  const auto& table = core_.table;
  const auto& labels = core_.instance->table();
  const auto& kernel = static_cast<const VulkanKernel&>(*dispatch.kernel);
  between_dispatches(table, commands_, dispatch.before);
  if (labels.vkCmdBeginDebugUtilsLabelEXT != nullptr) {
    VkDebugUtilsLabelEXT label{};
    label.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT;
    label.pLabelName = kernel.name().c_str();
    labels.vkCmdBeginDebugUtilsLabelEXT(commands_, &label);
  }
  if (bound != kernel.pipeline()) {
    bound = kernel.pipeline();
    table.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
  }
  if (dispatch.bindings != nullptr) {
    const auto set = static_cast<const VulkanBindings&>(*dispatch.bindings).set();
    table.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout(), 0, 1,
                                  &set, 0, nullptr);
  }
  if (measured_ > 0) {
    // Behind a barrier a dispatch begins when the earlier ones have ended; without one, when its
    // turn comes.
    const auto begins = dispatch.before == Barrier::none ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
                                                         : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    table.vkCmdWriteTimestamp(commands_, begins, queries_.get(), query);
  }
  table.vkCmdDispatch(commands_, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
  if (measured_ > 0) {
    table.vkCmdWriteTimestamp(commands_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, queries_.get(),
                              query + 1);
  }
  if (labels.vkCmdEndDebugUtilsLabelEXT != nullptr) labels.vkCmdEndDebugUtilsLabelEXT(commands_);
}

Result<std::vector<Span>> Recording::spans() {
  std::vector<Span> spans;
  if (measured_ == 0) return spans;
  spans.reserve(measured_);
  core_.to_steady({ticks_, measured_}, spans);
  // Whatever the clocks' error: no dispatch runs before it was submitted, or after it is known
  // complete.
  const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count();
  for (auto& span : spans) {
    span.begin_ns = std::clamp(span.begin_ns, submitted_ns, now_ns);
    span.end_ns = std::clamp(span.end_ns, span.begin_ns, now_ns);
  }
  return spans;
}

}  // namespace antiphon::device::vulkan
