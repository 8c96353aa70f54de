#include "device/vulkan/choice.hpp"

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

// Why it can't be used; empty: it can.
std::string lacks(const Candidate& candidate) {
  if (candidate.major == 1 && candidate.minor < 2) {
    return fmt::format("has Vulkan {}.{}, needs 1.2 (a newer driver may have it)", candidate.major,
                       candidate.minor);
  }
  if (!candidate.compute_queue) return "has no queue for compute";
  if (!candidate.timeline_semaphore) {
    return "lacks the feature timelineSemaphore (a newer driver may have it)";
  }
  return {};
}

}  // namespace

Result<std::size_t> choose(std::span<const Candidate> candidates, const std::string& wanted) {
  if (candidates.empty()) {
    return Failure{ErrorKind::no_device,
                   "there is a Vulkan loader, but no driver has a device here: install one "
                   "(mesa-vulkan-drivers on Debian has drivers for most GPUs, and a software one)"};
  }
  std::optional<std::size_t> best;
  bool named = false;
  std::string names;
  std::string reasons;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto& candidate = candidates[i];
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", candidate.name);
    if (lower(candidate.name).find(lower(wanted)) == std::string::npos) continue;
    named = true;
    if (const auto reason = lacks(candidate); !reason.empty()) {
      reasons += fmt::format("{}'{}' {}", reasons.empty() ? "" : "; ", candidate.name, reason);
    } else if (!best || candidate.kind < candidates[*best].kind) {
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
