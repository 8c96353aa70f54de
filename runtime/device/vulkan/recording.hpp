// What one batch is recorded in.
#pragma once

#include "device/device.hpp"
#include "device/vulkan/core.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace antiphon::device::vulkan {

// A command buffer with its own pool, and timestamps. It is used again, batch after batch: nothing
// is allocated but for a batch that has more measured dispatches than any before it. One thread at
// a time; it must not be recorded anew, or end, before the device is done with it.
class Recording {
 public:
  static Result<std::unique_ptr<Recording>> make(Core& core, std::uint32_t family,
                                                 const std::string& name);

  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Status record(const Batch& batch, bool measure);
  // REQUIRES: the batch is complete. Empty where it was not measured.
  Result<std::vector<Span>> spans();

  VkCommandBuffer commands() const noexcept { return commands_; }

  std::uint64_t value = 0;        // that it signals
  std::int64_t submitted_ns = 0;  // on the host's steady clock
  Recording* next = nullptr;      // in the list that it is in

 private:
  Recording(Core& core, CommandPool pool, VkCommandBuffer commands, std::string name)
      : core_(core), pool_(std::move(pool)), commands_(commands), name_(std::move(name)) {}
  Status make_room(std::uint32_t dispatches);
  Status make_read_back(std::uint32_t dispatches);
  void record_dispatch(const Dispatch& dispatch, VkPipeline& bound, std::uint32_t query);

  Core& core_;
  CommandPool pool_;
  VkCommandBuffer commands_;
  std::string name_;
  QueryPool queries_;
  // Where the device itself puts the timestamps: asking for those of one batch makes Mesa's
  // software device wait for all batches in flight.
  VkBuffer read_back_ = VK_NULL_HANDLE;
  VmaAllocation read_back_memory_ = VK_NULL_HANDLE;
  const Timestamps* ticks_ = nullptr;  // mapped
  std::uint32_t room_ = 0;             // dispatches that the queries suffice for
  std::uint32_t measured_ = 0;         // dispatches of the batch, where it is measured
};

}  // namespace antiphon::device::vulkan
