// One timeline on a queue of the device: one semaphore, and the recordings of its batches.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/core.hpp"
#include "device/vulkan/poll.hpp"
#include "device/vulkan/recording.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

// Values rise by one a batch, so they are never further apart than what is in flight: far within
// maxTimelineSemaphoreValueDifference, which is 2^31 - 1 at the least.
class VulkanQueue final : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> make(std::shared_ptr<Core> core, std::uint32_t index,
                                             const std::string& name);
  // Waits for what it has submitted.
  ~VulkanQueue() override;

  Result<std::uint64_t> submit(std::span<const Batch> batches, bool measure) override;
  Result<std::uint64_t> completed() override;
  Result<WaitResult> wait(std::uint64_t value, std::chrono::nanoseconds at_most) override;
  Result<std::vector<Span>> collect(std::uint64_t value) override;

 private:
  VulkanQueue(std::shared_ptr<Core> core, DeviceQueue& queue, std::string name)
      : core_(std::move(core)), queue_(queue), name_(std::move(name)) {}
  Status check(const Batch& batch) const;
  Result<Recording*> take_recording();
  void give_back(Recording* recording) noexcept;
  Status record(std::span<const Batch> batches, bool measure);
  VkResult send(std::uint64_t first);
  Failure timeline_failed(VkResult result);
  Result<WaitResult> look(std::uint64_t value, std::chrono::nanoseconds at_most);
  Result<WaitResult> sleep(std::uint64_t value, std::chrono::nanoseconds at_most);

  const std::shared_ptr<Core> core_;
  DeviceQueue& queue_;
  const std::string name_;
  Semaphore timeline_;
  // The last value that is promised, and the last that a submission under way may reach.
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::uint64_t> offered_{0};
  Poll poll_;

  // Of the submitting thread; kept for their memory:
  std::vector<Recording*> taken_;
  std::vector<std::uint64_t> values_;
  std::vector<VkCommandBuffer> commands_;
  std::vector<VkTimelineSemaphoreSubmitInfo> timelines_;
  std::vector<VkSubmitInfo> submits_;
  std::vector<std::unique_ptr<Recording>> recordings_;  // all there are

  std::mutex mutex_;
  Recording* free_ = nullptr;           // guarded by mutex_
  Recording* oldest_flying_ = nullptr;  // guarded by mutex_: by value, linked by `next`
  Recording* newest_flying_ = nullptr;  // guarded by mutex_
};

}  // namespace antiphon::device::vulkan
