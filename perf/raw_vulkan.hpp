// The floor: the same kernel by hand, one recorded command buffer submitted again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace perf {

class RawVulkan {
 public:
  explicit RawVulkan(std::span<const std::uint32_t> spirv);
  ~RawVulkan();
  RawVulkan(const RawVulkan&) = delete;
  RawVulkan& operator=(const RawVulkan&) = delete;

  // Writes the number, submits, waits for the timeline semaphore, reads the answer.
  int round_trip(int value);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perf
