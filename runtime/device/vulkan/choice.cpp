#include "device/vulkan/choice.hpp"

#include "profile/usable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace antiphon::device::vulkan {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Result<std::size_t> choose(std::span<const DeviceProfile> devices, const std::string& wanted) {
  if (devices.empty()) {
    return Failure{ErrorKind::no_device,
                   "there is a Vulkan loader, but no driver has a device here: install one "
                   "(mesa-vulkan-drivers on Debian has drivers for most GPUs, and a software one)"};
  }
  std::optional<std::size_t> best;
  bool named = false;
  std::string names;
  std::string reasons;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& device = devices[i];
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", device.name);
    if (lower(device.name).find(lower(wanted)) == std::string::npos) continue;
    named = true;
    if (const auto reason = profile::lack(device); !reason.empty()) {
      reasons += fmt::format("{}'{}' {}", reasons.empty() ? "" : "; ", device.name, reason);
    } else if (!best || device.kind < devices[*best].kind) {
      best = i;
    }
  }
  if (best) return *best;
  if (!named) {
    return Failure{
        ErrorKind::no_device,
        fmt::format("no Vulkan device here has '{}' in its name; there are: {}", wanted, names)};
  }
  return Failure{ErrorKind::unsupported,
                 fmt::format("no Vulkan device here can be used: {}", reasons)};
}

}  // namespace antiphon::device::vulkan
