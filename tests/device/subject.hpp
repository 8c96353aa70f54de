// The device that the conformance suite runs on: one definition of open_subject() is linked to each
// test.
#pragma once

#include "device/device.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace antiphon::device {

class Subject {
 public:
  virtual ~Subject() = default;
  virtual Device& device() = 0;
  // The kernels that both devices have: "double_ints" (x, y), "increment" (x), "length_of" (x, y:
  // words of x) and "churn" (steps, y).
  virtual KernelSpec spec(const std::string& kernel) = 0;
};

// A device that nobody has used. Destroying the subject checks that nobody complained of its use.
std::unique_ptr<Subject> open_subject();

inline constexpr auto long_enough = std::chrono::seconds(60);

inline std::unique_ptr<Kernel> make_kernel(Subject& subject, const std::string& name) {
  auto kernel = subject.device().make_kernel(subject.spec(name));
  REQUIRE_MESSAGE(kernel, (kernel ? "" : kernel.failure().message));
  return *std::move(kernel);
}

inline std::unique_ptr<Queue> make_queue(Subject& subject, const std::string& name = "test") {
  auto queue = subject.device().make_queue(0, name);
  REQUIRE(queue);
  return *std::move(queue);
}

// A buffer of 32-bit integers that the host reads and writes.
class Ints {
 public:
  Ints(Subject& subject, std::size_t count, int first = 0, int step = 0) : count_(count) {
    auto buffer =
        subject.device().make_buffer({"ints", count * sizeof(int), HostAccess::read_write});
    REQUIRE(buffer);
    buffer_ = *std::move(buffer);
    for (std::size_t i = 0; i < count; ++i) (*this)[i] = first + step * static_cast<int>(i);
  }
  int& operator[](std::size_t i) { return reinterpret_cast<int*>(buffer_->mapped())[i]; }
  Window all() { return {buffer_.get(), 0, count_ * sizeof(int)}; }
  Buffer* get() { return buffer_.get(); }
  std::size_t count() const { return count_; }

 private:
  std::unique_ptr<Buffer> buffer_;
  std::size_t count_;
};

inline std::unique_ptr<Bindings> bind(Subject& subject, const Kernel& kernel,
                                      const std::vector<Window>& windows,
                                      const std::string& name = "bound") {
  auto bindings = subject.device().make_bindings(kernel, windows, name);
  REQUIRE_MESSAGE(bindings, (bindings ? "" : bindings.failure().message));
  return *std::move(bindings);
}

inline std::uint64_t submit(Queue& queue, const std::vector<Batch>& batches, bool measure = false) {
  const auto value = queue.submit(batches, measure);
  REQUIRE_MESSAGE(value, (value ? "" : value.failure().message));
  return *value;
}

inline void wait_for(Queue& queue, std::uint64_t value) {
  const auto reached = queue.wait(value, long_enough);
  REQUIRE_MESSAGE(reached, (reached ? "" : reached.failure().message));
  REQUIRE(*reached == WaitResult::reached);
}

}  // namespace antiphon::device
