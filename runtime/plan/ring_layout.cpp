#include "plan/ring_layout.hpp"

#include "base/int128.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace antiphon::plan {

namespace {

// Where windows are padded apart each slot has an offset of its own, and each window is visited.
constexpr std::int64_t most_padded_slots = std::int64_t{1} << 22;
// Longer rings than this have no memory anyway.
constexpr std::int64_t most_slots = std::int64_t{1} << 40;
// Shifts tried, and initial phases looked at, before windows count as crossing.
constexpr std::int64_t most_shifts = std::int64_t{1} << 20;
constexpr std::int64_t most_looks = std::int64_t{1} << 24;

constexpr std::size_t aligned(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Whether windows of a cycle that starts at position `start` leave a boundary at every multiple of
// the cycle's sum, and so at every multiple of the ring's length.
bool boundary_at_zero(const PhaseSequence& rate, std::int64_t start) {
  const auto sum = rate.sum();
  if (sum == 0) return true;
  const auto wanted = (sum - start % sum) % sum;  // a prefix sum of the cycle must be just this
  if (wanted == 0) return true;
  const auto n = rate.least_reaching(rate.initial_sum() + wanted);
  return n && rate.total(*n) == rate.initial_sum() + wanted;
}

bool initial_windows_fit(const RingEnd& end, std::int64_t shift, std::int64_t slots,
                         std::int64_t& looks) {
  const auto& rate = *end.rate;
  looks -= rate.initial_phases();
  if (looks < 0) return false;
  auto position = (end.first + shift) % slots;
  for (std::int64_t n = 0; n < rate.initial_phases(); ++n) {
    const auto messages = rate.at(n);
    if (messages > slots - position) return false;
    position = (position + messages) % slots;
  }
  return true;
}

std::int64_t firings_of(const RingEnd& end, std::int64_t slots) {
  const auto& rate = *end.rate;
  const auto cycles = rate.sum() == 0 ? 0 : slots / rate.sum();
  return static_cast<std::int64_t>(
      std::min<Int128>(rate.initial_phases() + Int128{cycles} * rate.phases(), INT64_MAX));
}

bool has_empty_windows(const PhaseSequence& rate) {
  const auto empty = [](const PhaseRun& run) { return run.value == 0; };
  return std::any_of(rate.initial_runs().begin(), rate.initial_runs().end(), empty) ||
         std::any_of(rate.periodic_runs().begin(), rate.periodic_runs().end(), empty);
}

// Calls `visit(position, messages)` for every window that occurs in the ring, with repetitions.
template <typename Visit>
void each_window(const RingEnd& end, const RingLayout& layout, Visit visit) {
  const auto& rate = *end.rate;
  const auto firings = firings_of(end, layout.slots);
  auto position = end.first + layout.shift;
  for (std::int64_t n = 0; n < firings; ++n) {
    const auto messages = rate.at(n);
    if (messages > 0) visit(position % layout.slots, messages);
    position += messages;
  }
}

bool fits(const RingRequest& request, std::int64_t shift, std::int64_t slots, std::int64_t& looks) {
  return std::all_of(request.ends.begin(), request.ends.end(), [&](const RingEnd& end) {
    return boundary_at_zero(*end.rate, end.first + shift + end.rate->initial_sum()) &&
           initial_windows_fit(end, shift, slots, looks);
  });
}

// Pads the beginning of each device window to the alignment; false when another end's window would
// then have a hole.
bool pad(RingLayout& layout, const RingRequest& request) {
  std::vector<bool> begins(static_cast<std::size_t>(layout.slots));
  for (const auto& end : request.ends) {
    if (!end.on_device) continue;
    each_window(end, layout, [&](std::int64_t position, std::int64_t) {
      begins[static_cast<std::size_t>(position)] = true;
    });
  }
  layout.offsets.resize(begins.size());
  std::size_t at = 0;
  for (std::size_t slot = 0; slot < begins.size(); ++slot) {
    if (begins[slot]) at = aligned(at, request.device_alignment);
    layout.offsets[slot] = at;
    at += request.message_bytes;
  }
  layout.bytes = at;
  bool whole = true;
  for (const auto& end : request.ends) {
    each_window(end, layout, [&](std::int64_t position, std::int64_t messages) {
      const auto first = static_cast<std::size_t>(position);
      const auto last = static_cast<std::size_t>(position + messages - 1);
      whole = whole && layout.offsets[last] - layout.offsets[first] ==
                           static_cast<std::size_t>(messages - 1) * request.message_bytes;
    });
  }
  return whole;
}

std::optional<RingLayout> lay_out_ring(const RingRequest& request, NoLayout* why) {
  const auto none = [why](bool copy_helps, std::string reason) {
    if (why != nullptr) *why = {copy_helps, std::move(reason)};
    return std::nullopt;
  };
  Int128 cycle = 1;
  std::int64_t longest_start = 1;
  bool on_device = false;
  bool single = true;                  // one message in every firing, at every end
  std::int64_t largest_with_gaps = 0;  // window of an end on the device that also has empty ones
  for (const auto& end : request.ends) {
    const auto& rate = *end.rate;
    if (rate.sum() > 0) {
      const auto common = std::gcd(static_cast<std::int64_t>(cycle), rate.sum());
      cycle = cycle / common * rate.sum();
    }
    if (cycle > most_slots || rate.initial_sum() > most_slots) {
      return none(false, "its rates recur only after more messages than a ring can hold");
    }
    longest_start = std::max({longest_start, rate.initial_sum(), rate.max()});
    on_device = on_device || end.on_device;
    single = single && rate.is_constant(1);
    if (end.on_device && has_empty_windows(rate)) {
      largest_with_gaps = std::max(largest_with_gaps, rate.max());
    }
  }

  RingLayout layout;
  const auto least = std::max(request.capacity, longest_start);
  const auto whole = static_cast<std::int64_t>(cycle);
  const bool padded = on_device && !single;
  if (on_device) {
    // Powers of two times the cycle: rings of one actor then recur together, after few firings.
    for (layout.slots = whole; layout.slots < least && layout.slots <= most_slots;) {
      layout.slots *= 2;
    }
  } else {
    layout.slots = least > INT64_MAX - whole ? INT64_MAX : (least + whole - 1) / whole * whole;
  }
  if (padded && layout.slots > most_padded_slots) {
    return none(false, fmt::format("on the device it would need a ring of {} messages, more "
                                   "than the {} that are laid out one by one; make a message "
                                   "an array of them",
                                   layout.slots, most_padded_slots));
  }
  if (padded) {
    for (const auto& end : request.ends) {
      if (end.on_device && firings_of(end, layout.slots) > most_padded_slots) {
        return none(false, fmt::format("its windows on the device recur only after more than {} "
                                       "firings",
                                       most_padded_slots));
      }
    }
  }

  auto looks = most_looks;
  const auto shifts = single ? std::int64_t{1} : std::min(layout.slots, most_shifts);
  for (layout.shift = 0; layout.shift < shifts && looks >= 0; ++layout.shift) {
    if (fits(request, layout.shift, layout.slots, looks)) break;
  }
  if (layout.shift == shifts || looks < 0) {
    return none(true, "no place in its ring keeps all windows whole");
  }

  const auto item = std::max<std::size_t>(request.message_bytes, 1);
  if (!padded) {
    layout.stride =
        aligned(item, on_device ? std::max(request.device_alignment, request.message_alignment)
                                : request.message_alignment);
    // More than can be addressed is left for the allocation to refuse, which knows the owner.
    const auto slots = static_cast<std::size_t>(layout.slots);
    layout.bytes = slots > PTRDIFF_MAX / layout.stride ? PTRDIFF_MAX : slots * layout.stride;
    return layout;
  }
  if (!pad(layout, request)) {
    return none(true, "windows of its ends overlap where the device needs them apart");
  }
  if (largest_with_gaps > 0) {
    layout.spare = aligned(layout.bytes, request.device_alignment);
    layout.bytes = layout.spare + static_cast<std::size_t>(largest_with_gaps) * item;
  }
  return layout;
}

// The only end whose windows are of more than one message, if it is on the device, has initial
// phases, and the others are on the host; else null.
const RingEnd* end_with_a_prologue(const RingRequest& request) {
  const RingEnd* found = nullptr;
  for (const auto& end : request.ends) {
    if (end.rate->is_constant(1) && !end.on_device) continue;
    if (found != nullptr || !end.on_device || end.rate->initial_phases() == 0) return nullptr;
    found = &end;
  }
  return found;
}

// The messages up to the end's first periodic phase lie in slots of their own, each initial window
// where the device can address it; what comes after them is a ring for the periodic phases.
std::optional<RingLayout> lay_out_with_prologue(const RingRequest& request, const RingEnd& end,
                                                NoLayout* why) {
  const auto& rate = *end.rate;
  const auto prologue = end.first + rate.initial_sum();
  if (prologue > most_padded_slots || rate.initial_phases() > most_looks) {
    if (why != nullptr) *why = {false, "its initial phases take more messages than are laid out"};
    return std::nullopt;
  }
  const auto runs = rate.periodic_runs();
  const PhaseSequence periodic({}, {runs.begin(), runs.end()});
  const PhaseSequence one = 1;
  std::vector<RingEnd> ends;
  for (const auto& each : request.ends) {
    ends.push_back({&each == &end ? &periodic : &one, 0, each.on_device});
  }
  auto ring_request = request;
  ring_request.ends = ends;
  auto layout = lay_out_ring(ring_request, why);
  if (!layout) return std::nullopt;

  std::vector<bool> begins(static_cast<std::size_t>(prologue));
  auto position = end.first;
  for (std::int64_t n = 0; n < rate.initial_phases(); ++n) {
    const auto messages = rate.at(n);
    if (messages > 0) begins[static_cast<std::size_t>(position)] = true;
    position += messages;
  }
  std::vector<std::size_t> offsets;
  offsets.reserve(static_cast<std::size_t>(layout->slots + prologue));
  std::size_t at = 0;
  for (std::int64_t slot = 0; slot < prologue; ++slot) {
    if (begins[static_cast<std::size_t>(slot)]) at = aligned(at, request.device_alignment);
    offsets.push_back(at);
    at += request.message_bytes;
  }
  at = aligned(at, request.device_alignment);
  for (std::int64_t slot = 0; slot < layout->slots; ++slot) {
    offsets.push_back(at + layout->offset(slot));
  }
  layout->slots += prologue;
  layout->prologue = prologue;
  layout->offsets = std::move(offsets);
  layout->bytes += at;
  layout->spare += at;
  if (has_empty_windows(rate)) {
    // The ring has room for its own largest; an initial window may be larger.
    const auto item = std::max<std::size_t>(request.message_bytes, 1);
    layout->spare = aligned(layout->bytes, request.device_alignment);
    layout->bytes = layout->spare + static_cast<std::size_t>(rate.max()) * item;
  }
  return layout;
}

}  // namespace

std::optional<RingLayout> lay_out(const RingRequest& request, NoLayout* why) {
  NoLayout reason;
  auto layout = lay_out_ring(request, &reason);
  if (!layout && reason.copy_helps) {
    if (const auto* end = end_with_a_prologue(request)) {
      layout = lay_out_with_prologue(request, *end, &reason);
    }
  }
  if (!layout && why != nullptr) *why = std::move(reason);
  return layout;
}

}  // namespace antiphon::plan
