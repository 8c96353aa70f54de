#include "device/vulkan/queue.hpp"

#include "device/vulkan/barrier.hpp"
#include "device/vulkan/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

// Small kernels on a device with a core or a chip of its own end within this time, and being put to sleep
// and woken costs more than they do. Where the device shares the waiter's core, or kernels are long, polling
// only delays it: so a poll that failed is tried half as long the next time, down to not at all, and at full
// length again once in so many waits.
constexpr auto longest_poll = std::chrono::nanoseconds(20'000);
constexpr auto shortest_poll = std::chrono::nanoseconds(1'000);
constexpr unsigned waits_between_polls = 256;

}  // namespace

Result<std::unique_ptr<Queue>> VulkanQueue::make(std::shared_ptr<Core> core, const std::string& name) {
  std::unique_ptr<VulkanQueue> queue(new VulkanQueue(std::move(core), name));
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  auto& c = *queue->core_;
  if (const auto result = c.table.vkCreateSemaphore(c.device, &info, nullptr, &queue->timeline_);
      result != VK_SUCCESS) {
    return vulkan::failure(result, fmt::format("vkCreateSemaphore for '{}'", name));
  }
  c.set_name(VK_OBJECT_TYPE_SEMAPHORE, queue->timeline_, name + " timeline");
  return std::unique_ptr<Queue>(std::move(queue));
}

VulkanQueue::~VulkanQueue() {
  auto& c = *core_;
  if (timeline_ != VK_NULL_HANDLE) {
    const auto value = submitted_.load();
    if (value > 0 && !lost()) {
      VkSemaphoreWaitInfo info{};
      info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
      info.semaphoreCount = 1;
      info.pSemaphores = &timeline_;
      info.pValues = &value;
      c.table.vkWaitSemaphores(c.device, &info, UINT64_MAX);
    }
    c.table.vkDestroySemaphore(c.device, timeline_, nullptr);
  }
  for (auto& r : flying_) free_.push_back(r);
  for (const auto& r : free_) {
    c.table.vkDestroyQueryPool(c.device, r.queries, nullptr);
    c.table.vkDestroyCommandPool(c.device, r.pool, nullptr);
  }
}

Failure VulkanQueue::lose(VkResult result, const char* what) {
  auto failure = vulkan::failure(result, fmt::format("{} ({})", what, name_));
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  return *failure_;
}

std::optional<Failure> VulkanQueue::lost() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Result<VulkanQueue::Recording> VulkanQueue::make_recording() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      const auto recording = free_.back();
      free_.pop_back();
      return recording;
    }
  }
  auto& c = *core_;
  Recording recording;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
  pool.queueFamilyIndex = c.family;
  auto result = c.table.vkCreateCommandPool(c.device, &pool, nullptr, &recording.pool);
  if (result != VK_SUCCESS) return vulkan::failure(result, "vkCreateCommandPool");
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = recording.pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  result = c.table.vkAllocateCommandBuffers(c.device, &allocate, &recording.commands);
  if (result != VK_SUCCESS) {
    c.table.vkDestroyCommandPool(c.device, recording.pool, nullptr);
    return vulkan::failure(result, "vkAllocateCommandBuffers");
  }
  c.set_name(VK_OBJECT_TYPE_COMMAND_BUFFER, recording.commands, name_);
  return recording;
}

Status VulkanQueue::ensure_queries(Recording& recording, std::uint32_t dispatches) {
  if (recording.query_capacity >= 2 * dispatches) return {};
  auto& c = *core_;
  c.table.vkDestroyQueryPool(c.device, recording.queries, nullptr);
  recording.queries = VK_NULL_HANDLE;
  recording.query_capacity = 2 * std::max(dispatches, 4U);
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = recording.query_capacity;
  const auto result = c.table.vkCreateQueryPool(c.device, &info, nullptr, &recording.queries);
  if (result == VK_SUCCESS) return {};
  recording.query_capacity = 0;
  return vulkan::failure(result, "vkCreateQueryPool");
}

Status VulkanQueue::record(Recording& recording, const Batch& batch, bool measure) {
  auto& c = *core_;
  const auto commands = recording.commands;
  const auto dispatches = static_cast<std::uint32_t>(batch.dispatches.size());
  recording.measured = measure && c.timestamp_bits > 0 ? dispatches : 0;
  if (recording.measured > 0) {
    if (auto done = ensure_queries(recording, dispatches); !done) return done;
  }
  auto result = c.table.vkResetCommandPool(c.device, recording.pool, 0);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (result == VK_SUCCESS) result = c.table.vkBeginCommandBuffer(commands, &begin);
  if (result != VK_SUCCESS) return vulkan::failure(result, "vkBeginCommandBuffer");
  if (recording.measured > 0) c.table.vkCmdResetQueryPool(commands, recording.queries, 0, 2 * dispatches);
  VkPipeline bound = VK_NULL_HANDLE;
  std::uint32_t query = 0;
  for (const auto& dispatch : batch.dispatches) {
    const auto& kernel = static_cast<const VulkanKernel&>(*dispatch.kernel);
    const auto set = static_cast<const VulkanBindings&>(*dispatch.bindings).set();
    between_dispatches(c.table, commands, dispatch.before);
    if (bound != kernel.pipeline()) {
      bound = kernel.pipeline();
      c.table.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
    }
    c.table.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout(), 0, 1, &set, 0,
                                    nullptr);
    if (recording.measured > 0) {
      c.table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, recording.queries, query++);
    }
    c.table.vkCmdDispatch(commands, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
    if (recording.measured > 0) {
      c.table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, recording.queries, query++);
    }
  }
  if (batch.host_reads) before_host_reads(c.table, commands);
  result = c.table.vkEndCommandBuffer(commands);
  if (result != VK_SUCCESS) return vulkan::failure(result, "vkEndCommandBuffer");
  return {};
}

Result<std::uint64_t> VulkanQueue::submit(std::span<const Batch> batches, bool measure) {
  if (auto failure = lost()) return *failure;
  auto& c = *core_;
  const auto first = submitted_.load(std::memory_order_relaxed) + 1;
  taken_.clear();
  const auto give_up = [&](Failure failure) {
    for (auto& recording : taken_) recycle(recording);
    return failure;
  };
  for (const auto& batch : batches) {
    auto recording = make_recording();
    if (!recording) return give_up(recording.failure());
    taken_.push_back(*recording);
    if (auto done = record(taken_.back(), batch, measure); !done) return give_up(done.failure());
  }
  const auto count = batches.size();
  values_.resize(count);
  timelines_.assign(count, {});
  submits_.assign(count, {});
  for (std::size_t i = 0; i < count; ++i) {
    values_[i] = taken_[i].value = first + i;
    timelines_[i].sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timelines_[i].signalSemaphoreValueCount = 1;
    timelines_[i].pSignalSemaphoreValues = &values_[i];
    submits_[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submits_[i].pNext = &timelines_[i];
    submits_[i].commandBufferCount = 1;
    submits_[i].pCommandBuffers = &taken_[i].commands;
    submits_[i].signalSemaphoreCount = 1;
    submits_[i].pSignalSemaphores = &timeline_;
  }
  VkResult result = VK_SUCCESS;
  {
    const std::lock_guard lock(c.queue_mutex);
    result = c.table.vkQueueSubmit(c.queue, static_cast<std::uint32_t>(count), submits_.data(), VK_NULL_HANDLE);
  }
  if (result != VK_SUCCESS) return give_up(lose(result, "vkQueueSubmit"));
  {
    const std::lock_guard lock(mutex_);
    flying_.insert(flying_.end(), taken_.begin(), taken_.end());
  }
  submitted_.store(first + count - 1, std::memory_order_release);
  return first + count - 1;
}

Result<std::uint64_t> VulkanQueue::completed() {
  if (auto failure = lost()) return *failure;
  std::uint64_t value = 0;
  const auto result = core_->table.vkGetSemaphoreCounterValue(core_->device, timeline_, &value);
  if (result != VK_SUCCESS) return lose(result, "vkGetSemaphoreCounterValue");
  // A lost device may count to anything; what was never submitted is never complete.
  if (value > submitted_.load(std::memory_order_acquire)) {
    return lose(VK_ERROR_DEVICE_LOST, "the timeline semaphore passed what was submitted");
  }
  return value;
}

Result<WaitResult> VulkanQueue::wait(std::uint64_t value, std::chrono::nanoseconds at_most) {
  const auto reached_now = [&]() -> Result<bool> {
    const auto reached = completed();
    if (!reached) return reached.failure();
    return *reached >= value;
  };
  const auto begin = std::chrono::steady_clock::now();
  auto poll_for = std::chrono::nanoseconds(poll_ns_.load(std::memory_order_relaxed));
  if (poll_for.count() == 0 &&
      waits_.fetch_add(1, std::memory_order_relaxed) % waits_between_polls == waits_between_polls - 1) {
    poll_for = longest_poll;
  }
  poll_for = std::min(poll_for, at_most);
  if (poll_for.count() > 0 || at_most.count() == 0) {
    do {
      const auto reached = reached_now();
      if (!reached) return reached.failure();
      if (*reached) {
        if (poll_for.count() > 0) poll_ns_.store(longest_poll.count(), std::memory_order_relaxed);
        return WaitResult::reached;
      }
    } while (std::chrono::steady_clock::now() - begin < poll_for);
    if (at_most <= poll_for) return WaitResult::timed_out;
    const auto shorter = poll_for / 2;
    poll_ns_.store(shorter < shortest_poll ? 0 : shorter.count(), std::memory_order_relaxed);
  }
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline_;
  info.pValues = &value;
  const auto left = at_most - (std::chrono::steady_clock::now() - begin);
  const auto result = core_->table.vkWaitSemaphores(core_->device, &info,
                                                    static_cast<std::uint64_t>(std::max<std::int64_t>(left.count(), 0)));
  if (result == VK_TIMEOUT) return WaitResult::timed_out;
  if (result != VK_SUCCESS) return lose(result, "vkWaitSemaphores");
  const auto reached = reached_now();  // a lost device may end any wait
  if (!reached) return reached.failure();
  return WaitResult::reached;
}

void VulkanQueue::recycle(Recording recording) {
  const std::lock_guard lock(mutex_);
  free_.push_back(recording);
}

Result<std::vector<Span>> VulkanQueue::collect(std::uint64_t value) {
  Recording recording;
  {
    const std::lock_guard lock(mutex_);
    if (flying_.empty() || flying_.front().value != value) {
      return Failure{ErrorKind::misuse, fmt::format("batch {} of '{}' is not the next to collect", value, name_)};
    }
    recording = flying_.front();
    flying_.pop_front();
  }
  std::vector<Span> spans;
  if (recording.measured > 0) {
    std::vector<std::uint64_t> ticks(2 * std::size_t{recording.measured});
    const auto result = core_->table.vkGetQueryPoolResults(
        core_->device, recording.queries, 0, 2 * recording.measured, ticks.size() * sizeof(std::uint64_t),
        ticks.data(), sizeof(std::uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS) {
      recycle(recording);
      return lose(result, "vkGetQueryPoolResults");
    }
    spans.reserve(recording.measured);
    for (std::size_t i = 0; i < ticks.size(); i += 2) {
      spans.push_back({core_->steady_ns(ticks[i]), core_->steady_ns(ticks[i + 1])});
    }
  }
  recycle(recording);
  return spans;
}

}  // namespace antiphon::device::vulkan
