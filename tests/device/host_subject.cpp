#include "device/host/host_device.hpp"
#include "device/subject.hpp"

#include <algorithm>
#include <stdexcept>

namespace antiphon::device {

namespace {

std::span<std::uint32_t> words(std::span<std::byte> window) {
  return {reinterpret_cast<std::uint32_t*>(window.data()), window.size() / sizeof(std::uint32_t)};
}

// The shaders of kernels/ in C++.
host::HostOptions options() {
  host::HostOptions made;
  made.profile.storage_offset_alignment = 16;
  made.profile.max_storage_range = std::size_t{1} << 27;
  made.kernels["double_ints"] = [](auto windows, auto groups) {
    const auto x = words(windows[0]);
    const auto y = words(windows[1]);
    for (std::size_t i = 0; i < std::min<std::size_t>(y.size(), 64 * groups[0]); ++i)
      y[i] = 2 * x[i];
  };
  made.kernels["increment"] = [](auto windows, auto groups) {
    const auto x = words(windows[0]);
    for (std::size_t i = 0; i < std::min<std::size_t>(x.size(), 64 * groups[0]); ++i) ++x[i];
  };
  made.kernels["length_of"] = [](auto windows, auto) {
    words(windows[1])[0] = static_cast<std::uint32_t>(words(windows[0]).size());
  };
  made.kernels["churn"] = [](auto windows, auto) {
    std::uint32_t value = 1;
    const auto steps = words(windows[0])[0];
    for (std::uint32_t i = 0; i < steps; ++i) value = value * 1664525 + 1013904223;
    words(windows[1])[0] = value;
  };
  return made;
}

class HostSubject final : public Subject {
 public:
  Device& device() override { return *device_; }
  KernelSpec spec(const std::string& kernel) override {
    const bool in_place = kernel == "increment";
    return {.name = kernel, .spirv = {}, .constants = {}, .bindings = in_place ? 1U : 2U};
  }

 private:
  std::shared_ptr<host::HostDevice> device_ = host::open(options()).value_or_throw();
};

}  // namespace

std::unique_ptr<Subject> open_subject() {
  return std::make_unique<HostSubject>();
}

}  // namespace antiphon::device
