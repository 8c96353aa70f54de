// A queue's user: one timeline semaphore, recycled command buffers and timestamps.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/core.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

class VulkanQueue final : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> make(std::shared_ptr<Core> core, const std::string& name);
  // Waits for what it has submitted.
  ~VulkanQueue() override;

  Result<std::uint64_t> submit(std::span<const Batch> batches, bool measure) override;
  Result<std::uint64_t> completed() override;
  Result<WaitResult> wait(std::uint64_t value, std::chrono::nanoseconds at_most) override;
  Result<std::vector<Span>> collect(std::uint64_t value) override;

 private:
  // What one batch is recorded in; used again once the batch is known complete.
  struct Recording {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkQueryPool queries = VK_NULL_HANDLE;
    std::uint32_t query_capacity = 0;
    std::uint64_t value = 0;
    std::uint32_t measured = 0;  // dispatches with two timestamps each
  };

  VulkanQueue(std::shared_ptr<Core> core, std::string name) : core_(std::move(core)), name_(std::move(name)) {}
  Result<Recording> make_recording();
  Status ensure_queries(Recording& recording, std::uint32_t dispatches);
  Status record(Recording& recording, const Batch& batch, bool measure);
  void recycle(Recording recording);
  // The first failure of the device stays: every later call gives it too.
  Failure lose(VkResult result, const char* what);
  std::optional<Failure> lost() const;

  std::shared_ptr<Core> core_;
  std::string name_;
  VkSemaphore timeline_ = VK_NULL_HANDLE;
  std::atomic<std::uint64_t> submitted_{0};  // the last value that is promised
  std::atomic<std::int64_t> poll_ns_{0};     // how long the next wait polls before it sleeps
  std::atomic<unsigned> waits_{0};           // since it last polled at full length

  // Of the submitting thread:
  std::vector<Recording> taken_;
  std::vector<std::uint64_t> values_;
  std::vector<VkTimelineSemaphoreSubmitInfo> timelines_;
  std::vector<VkSubmitInfo> submits_;

  mutable std::mutex mutex_;
  std::vector<Recording> free_;     // guarded by mutex_
  std::deque<Recording> flying_;    // guarded by mutex_: by value
  std::optional<Failure> failure_;  // guarded by mutex_
};

}  // namespace antiphon::device::vulkan
