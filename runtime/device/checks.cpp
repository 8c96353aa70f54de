#include "device/checks.hpp"

#include <fmt/format.h>

namespace antiphon::device {

Status check_kernel(const DeviceProfile& profile, const KernelSpec& spec) {
  if (spec.bindings > profile.max_bindings) {
    return Failure{ErrorKind::unsupported,
                   fmt::format("actor '{}' has {} ports, and a kernel of '{}' can have {} buffers",
                               spec.name, spec.bindings, profile.name, profile.max_bindings)};
  }
  return {};
}

Status check_windows(const DeviceProfile& profile, std::uint32_t bindings,
                     std::span<const Window> windows, const std::string& name) {
  if (windows.size() != bindings) {
    return Failure{ErrorKind::misuse,
                   fmt::format("actor '{}': {} windows for a kernel of {} buffers", name,
                               windows.size(), bindings)};
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto& window = windows[i];
    if (window.buffer == nullptr) {
      return Failure{ErrorKind::misuse,
                     fmt::format("actor '{}': window {} has no buffer", name, i)};
    }
    if (window.bytes > profile.max_storage_range) {
      return Failure{
          ErrorKind::unsupported,
          fmt::format(
              "actor '{}': port {} moves {} bytes in a firing, and a kernel of '{}' can see {} "
              "of a buffer",
              name, i, window.bytes, profile.name, profile.max_storage_range)};
    }
    if (window.offset % profile.storage_offset_alignment != 0) {
      return Failure{
          ErrorKind::misuse,
          fmt::format(
              "actor '{}': window {} begins at byte {}, which is no multiple of the {} of '{}'",
              name, i, window.offset, profile.storage_offset_alignment, profile.name)};
    }
    const auto size = window.buffer->size();
    if (window.offset > size || window.bytes > size - window.offset) {
      return Failure{
          ErrorKind::misuse,
          fmt::format("actor '{}': window {} (byte {}, {} bytes) leaves its buffer of {} bytes",
                      name, i, window.offset, window.bytes, size)};
    }
  }
  return {};
}

Status check_dispatch(const DeviceProfile& profile, const Dispatch& dispatch,
                      const std::string& name) {
  if (dispatch.kernel == nullptr) {
    return Failure{ErrorKind::misuse, fmt::format("queue '{}': a dispatch without a kernel", name)};
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (dispatch.groups[i] > profile.max_group_count[i]) {
      return Failure{
          ErrorKind::unsupported,
          fmt::format("queue '{}': {} workgroups in dimension {} are more than the {} of '{}'",
                      name, dispatch.groups[i], i, profile.max_group_count[i], profile.name)};
    }
  }
  return {};
}

}  // namespace antiphon::device
