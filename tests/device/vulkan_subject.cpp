#include "device/subject.hpp"
#include "device/vulkan/vulkan_device.hpp"

#include <antiphon/log.hpp>

#include <kernels/churn.hpp>
#include <kernels/double_ints.hpp>
#include <kernels/increment.hpp>
#include <kernels/length_of.hpp>

#include <map>
#include <mutex>
#include <span>

namespace antiphon::device {

namespace {

// What was logged, which is all that is heard of a fault in destroying a device.
class Log {
 public:
  Log() {
    set_log(LogLevel::warning, [this](LogLevel, std::string_view message) {
      const std::lock_guard lock(mutex_);
      messages_.emplace_back(message);
    });
  }
  ~Log() {
    set_log(LogLevel::warning);
    for (const auto& message : messages_) FAIL_CHECK(message);
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> messages_;
};

// With the validation layer: any message of it is a failure.
class VulkanSubject final : public Subject {
 public:
  VulkanSubject() {
    auto opened = vulkan::open({.validation = true});
    REQUIRE_MESSAGE(opened, (opened ? "" : opened.failure().message));
    device_ = *std::move(opened);
  }
  ~VulkanSubject() override {
    for (const auto& message : device_->validation_messages()) FAIL_CHECK(message);
  }

  Device& device() override { return *device_; }
  KernelSpec spec(const std::string& kernel) override {
    static const std::map<std::string, std::span<const std::uint32_t>> modules{
        {"churn", churn_spirv},
        {"double_ints", double_ints_spirv},
        {"increment", increment_spirv},
        {"length_of", length_of_spirv},
    };
    const auto module = modules.at(kernel);
    return {.name = kernel,
            .spirv = {module.begin(), module.end()},
            .constants = {},
            .bindings = kernel == "increment" ? 1U : 2U};
  }

 private:
  Log log_;  // outlives the device
  std::shared_ptr<Device> device_;
};

}  // namespace

std::unique_ptr<Subject> open_subject() {
  return std::make_unique<VulkanSubject>();
}

}  // namespace antiphon::device
