#include "device/vulkan/queue.hpp"

#include "device/checks.hpp"
#include "device/vulkan/objects.hpp"
#include "device/vulkan/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace antiphon::device::vulkan {

namespace {

VkSemaphoreWaitInfo wait_for(const VkSemaphore& semaphore, const std::uint64_t& value) {
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  return info;
}

}  // namespace

Result<std::unique_ptr<Queue>> VulkanQueue::make(std::shared_ptr<Core> core, std::uint32_t index,
                                                 const std::string& name) {
  if (core->lost()) return core->loss();
  auto& on = *core->queues[index];
  std::unique_ptr<VulkanQueue> queue(new VulkanQueue(std::move(core), on, name));
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  auto& c = *queue->core_;
  VkSemaphore handle = VK_NULL_HANDLE;
  if (const auto result = c.table.vkCreateSemaphore(c.device, &info, nullptr, &handle);
      result != VK_SUCCESS) {
    return c.failed(result, fmt::format("queue '{}': no timeline", name));
  }
  queue->timeline_ = c.own<Semaphore>(VK_OBJECT_TYPE_SEMAPHORE, handle, name);
  return std::unique_ptr<Queue>(std::move(queue));
}

VulkanQueue::~VulkanQueue() {
  const auto value = submitted_.load();
  const auto semaphore = timeline_.get();
  if (value == 0 || core_->lost()) return;
  const auto info = wait_for(semaphore, value);
  core_->table.vkWaitSemaphores(core_->device, &info, UINT64_MAX);
}

Status VulkanQueue::check(const Batch& batch) const {
  for (const auto& dispatch : batch.dispatches) {
    if (auto done = check_dispatch(core_->profile, dispatch, name_); !done) return done;
    const auto& kernel = static_cast<const VulkanKernel&>(*dispatch.kernel);
    const auto* const bindings = static_cast<const VulkanBindings*>(dispatch.bindings);
    if ((bindings != nullptr ? bindings->count() : 0) != kernel.bindings()) {
      return Failure{ErrorKind::misuse,
                     fmt::format("queue '{}': a dispatch of '{}' without its {} windows", name_,
                                 kernel.name(), kernel.bindings())};
    }
  }
  return {};
}

Result<Recording*> VulkanQueue::take_recording() {
  {
    const std::lock_guard lock(mutex_);
    if (free_ != nullptr) return std::exchange(free_, free_->next);
  }
  auto made = Recording::make(*core_, queue_.family, name_);
  if (!made) return made.failure();
  recordings_.push_back(std::move(*made));
  return recordings_.back().get();
}

void VulkanQueue::give_back(Recording* recording) noexcept {
  const std::lock_guard lock(mutex_);
  recording->next = std::exchange(free_, recording);
}

Status VulkanQueue::record(std::span<const Batch> batches, bool measure) {
  for (const auto& batch : batches) {
    if (auto done = check(batch); !done) return done;
    auto recording = take_recording();
    if (!recording) return recording.failure();
    taken_.push_back(*recording);
    if (auto done = (*recording)->record(batch, measure && queue_.timestamp_bits > 0); !done)
      return done;
  }
  return {};
}

// One submission for each batch, all in one call; each signals its value.
VkResult VulkanQueue::send(std::uint64_t first) {
  const auto count = taken_.size();
  const auto semaphore = timeline_.get();
  values_.resize(count);
  commands_.resize(count);
  timelines_.assign(count, VkTimelineSemaphoreSubmitInfo{});
  submits_.assign(count, VkSubmitInfo{});
  const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count();
  for (std::size_t i = 0; i < count; ++i) {
    values_[i] = first + i;
    commands_[i] = taken_[i]->commands();
    taken_[i]->value = values_[i];
    taken_[i]->submitted_ns = now_ns;
    timelines_[i].sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    timelines_[i].signalSemaphoreValueCount = 1;
    timelines_[i].pSignalSemaphoreValues = &values_[i];
    submits_[i].sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submits_[i].pNext = &timelines_[i];
    submits_[i].commandBufferCount = 1;
    submits_[i].pCommandBuffers = &commands_[i];
    submits_[i].signalSemaphoreCount = 1;
    submits_[i].pSignalSemaphores = &semaphore;
  }
  const std::lock_guard lock(queue_.mutex);
  return core_->table.vkQueueSubmit(queue_.handle, static_cast<std::uint32_t>(count),
                                    submits_.data(), VK_NULL_HANDLE);
}

Result<std::uint64_t> VulkanQueue::submit(std::span<const Batch> batches, bool measure) {
  if (core_->lost()) return core_->loss();
  const auto before = submitted_.load(std::memory_order_relaxed);
  if (batches.empty()) return before;
  const auto last = before + batches.size();
  taken_.clear();
  auto done = record(batches, measure);
  if (done) {
    offered_.store(last, std::memory_order_release);
    if (const auto result = send(before + 1); result != VK_SUCCESS) {
      offered_.store(before, std::memory_order_release);
      done = core_->failed(result, fmt::format("queue '{}' did not take a submission", name_));
    }
  }
  if (!done) {
    for (auto* const recording : taken_) give_back(recording);
    return done.failure();
  }
  {
    const std::lock_guard lock(mutex_);
    for (auto* const recording : taken_) {
      recording->next = nullptr;
      (oldest_flying_ == nullptr ? oldest_flying_ : newest_flying_->next) = recording;
      newest_flying_ = recording;
    }
  }
  submitted_.store(last, std::memory_order_release);
  return last;
}

Failure VulkanQueue::timeline_failed(VkResult result) {
  return core_->failed(
      result, fmt::format("the timeline of queue '{}' does not answer; {} batches were submitted",
                          name_, submitted_.load(std::memory_order_relaxed)));
}

Result<std::uint64_t> VulkanQueue::completed() {
  if (core_->lost()) return core_->loss();
  std::uint64_t value = 0;
  const auto result =
      core_->table.vkGetSemaphoreCounterValue(core_->device, timeline_.get(), &value);
  if (result != VK_SUCCESS) return timeline_failed(result);
  // A lost device may count to anything. What was never submitted is never complete.
  if (value > offered_.load(std::memory_order_acquire))
    return timeline_failed(VK_ERROR_DEVICE_LOST);
  return std::min(value, submitted_.load(std::memory_order_acquire));
}

Result<WaitResult> VulkanQueue::wait(std::uint64_t value, std::chrono::nanoseconds at_most) {
  if (core_->lost()) return core_->loss();
  if (const auto submitted = submitted_.load(std::memory_order_acquire); value > submitted) {
    return Failure{ErrorKind::misuse,
                   fmt::format("queue '{}': a wait for batch {}, and {} is the last submitted",
                               name_, value, submitted)};
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto poll = std::min(poll_.next(), at_most);
  if (poll.count() > 0 || at_most.count() <= 0) {
    const auto seen = look(value, poll);
    if (!seen || *seen == WaitResult::reached || poll >= at_most) return seen;
    poll_.was_in_vain(poll);
  }
  return sleep(value, at_most - (std::chrono::steady_clock::now() - begin));
}

Result<WaitResult> VulkanQueue::look(std::uint64_t value, std::chrono::nanoseconds at_most) {
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    const auto reached = completed();
    if (!reached) return reached.failure();
    if (*reached >= value) {
      if (at_most.count() > 0) poll_.was_worth_it();
      return WaitResult::reached;
    }
    if (std::chrono::steady_clock::now() - begin >= at_most) return WaitResult::timed_out;
    // Where driver and host share a core, the driver has to get it.
    std::this_thread::yield();
  }
}

Result<WaitResult> VulkanQueue::sleep(std::uint64_t value, std::chrono::nanoseconds at_most) {
  const auto semaphore = timeline_.get();
  const auto info = wait_for(semaphore, value);
  const auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(at_most.count(), 0));
  const auto result = core_->table.vkWaitSemaphores(core_->device, &info, time);
  if (result == VK_TIMEOUT) return WaitResult::timed_out;
  if (result != VK_SUCCESS) return timeline_failed(result);
  // A lost device may end any wait.
  const auto reached = completed();
  if (!reached) return reached.failure();
  return *reached >= value ? WaitResult::reached : WaitResult::timed_out;
}

Result<std::vector<Span>> VulkanQueue::collect(std::uint64_t value) {
  if (core_->lost()) return core_->loss();
  Recording* recording = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (oldest_flying_ == nullptr || oldest_flying_->value != value) {
      return Failure{ErrorKind::misuse,
                     fmt::format("queue '{}': batch {} is not the next to collect", name_, value)};
    }
    recording = std::exchange(oldest_flying_, oldest_flying_->next);
  }
  auto spans = recording->spans();
  give_back(recording);
  return spans;
}

}  // namespace antiphon::device::vulkan
