// The host's and a device's clock, read at the same moment.
#include "device/vulkan/core.hpp"
#include "device/vulkan/result.hpp"
#include "sync/steady_ns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace antiphon::device::vulkan {

namespace {

// A reading is as good as the thread was undisturbed: the best of a few is taken.
constexpr int readings = 8;
// Crystals differ by some 20 ppm: within this time two clocks part by less than 20 µs.
constexpr auto recalibrate_after = std::chrono::seconds(1);
constexpr std::uint64_t patience_ns = 10'000'000'000;

bool tighter(const ClockReading& a, const ClockReading& b) {
  return a.latest_ns - a.earliest_ns < b.latest_ns - b.earliest_ns;
}

}  // namespace

Status Core::start_clock() {
  // One clock for all queues, of as many bits as the least of them keeps.
  std::uint32_t bits = 0;
  for (const auto& queue : queues) {
    if (queue->timestamp_bits == 0) continue;
    if (clock_queue_ == nullptr) clock_queue_ = queue.get();
    bits = bits == 0 ? queue->timestamp_bits : std::min(bits, queue->timestamp_bits);
  }
  if (bits == 0) return {};
  clock_ = DeviceClock(timestamp_period_ns_, bits);
  const auto reading = calibrated_timestamps_ ? read_clocks() : read_clocks_by_submit();
  if (!reading) return reading.failure();
  clock_.set(*reading);
  last_calibration_ = std::chrono::steady_clock::now();
  return {};
}

// std::chrono::steady_clock is CLOCK_MONOTONIC here.
Result<ClockReading> Core::read_clocks() {
  std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
  infos[0].sType = infos[1].sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  ClockReading best;
  for (int i = 0; i < readings; ++i) {
    std::array<std::uint64_t, 2> values{};
    std::uint64_t deviation = 0;
    const auto result =
        table.vkGetCalibratedTimestampsEXT(device, 2, infos.data(), values.data(), &deviation);
    if (result != VK_SUCCESS) return failed(result, "its clock could not be read");
    const auto host = static_cast<std::int64_t>(values[1]);
    const auto margin = static_cast<std::int64_t>(deviation);
    const ClockReading reading{values[0], host - margin, host + margin};
    if (i == 0 || tighter(reading, best)) best = reading;
  }
  return best;
}

// Without the extension: a timestamp is written by a submission, whose moment lies between two
// readings of the host's clock.
Result<ClockReading> Core::read_clocks_by_submit() {
  auto& queue = *clock_queue_;
  const auto gave_up = [&](VkResult result) {
    return failed(result, "its clock could not be read");
  };
  VkCommandPoolCreateInfo pool_info{};
  pool_info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool_info.queueFamilyIndex = queue.family;
  VkCommandPool pool_handle = VK_NULL_HANDLE;
  auto result = table.vkCreateCommandPool(device, &pool_info, nullptr, &pool_handle);
  if (result != VK_SUCCESS) return gave_up(result);
  const auto pool = own<CommandPool>(VK_OBJECT_TYPE_COMMAND_POOL, pool_handle, "clock");
  VkQueryPoolCreateInfo query_info{};
  query_info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  query_info.queryCount = 1;
  VkQueryPool query_handle = VK_NULL_HANDLE;
  result = table.vkCreateQueryPool(device, &query_info, nullptr, &query_handle);
  if (result != VK_SUCCESS) return gave_up(result);
  const auto queries = own<QueryPool>(VK_OBJECT_TYPE_QUERY_POOL, query_handle, "clock");
  VkFenceCreateInfo fence_info{};
  fence_info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence_handle = VK_NULL_HANDLE;
  result = table.vkCreateFence(device, &fence_info, nullptr, &fence_handle);
  if (result != VK_SUCCESS) return gave_up(result);
  const auto fence = own<Fence>(VK_OBJECT_TYPE_FENCE, fence_handle, "clock");

  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = pool.get();
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  result = table.vkAllocateCommandBuffers(device, &allocate, &commands);
  if (result != VK_SUCCESS) return gave_up(result);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  result = table.vkBeginCommandBuffer(commands, &begin);
  if (result != VK_SUCCESS) return gave_up(result);
  table.vkCmdResetQueryPool(commands, queries.get(), 0, 1);
  table.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries.get(), 0);
  result = table.vkEndCommandBuffer(commands);
  if (result != VK_SUCCESS) return gave_up(result);

  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  const std::lock_guard lock(queue.mutex);
  ClockReading best;
  for (int i = 0; i < readings; ++i) {
    ClockReading reading;
    reading.earliest_ns = sync::steady_ns();
    result = table.vkQueueSubmit(queue.handle, 1, &submit, fence.get());
    const auto waited = fence.get();
    if (result == VK_SUCCESS)
      result = table.vkWaitForFences(device, 1, &waited, VK_TRUE, patience_ns);
    reading.latest_ns = sync::steady_ns();
    if (result == VK_SUCCESS) {
      result =
          table.vkGetQueryPoolResults(device, queries.get(), 0, 1, sizeof reading.ticks,
                                      &reading.ticks, sizeof reading.ticks, VK_QUERY_RESULT_64_BIT);
    }
    if (result == VK_SUCCESS) result = table.vkResetFences(device, 1, &waited);
    if (result != VK_SUCCESS) return gave_up(result);
    if (i == 0 || tighter(reading, best)) best = reading;
  }
  return best;
}

void Core::to_steady(std::span<const Timestamps> ticks, std::vector<Span>& spans) {
  const std::lock_guard lock(clock_mutex_);
  if (calibrated_timestamps_ && !clock_.is_host_clock()) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_calibration_ > recalibrate_after) {
      // A reading that fails leaves the last one standing: the device's loss is told by other
      // calls.
      if (const auto reading = read_clocks()) clock_.set(*reading);
      last_calibration_ = now;
    }
  }
  for (const auto& t : ticks) spans.push_back({clock_.steady_ns(t.begin), clock_.steady_ns(t.end)});
}

}  // namespace antiphon::device::vulkan
