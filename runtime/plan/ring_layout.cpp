#include "plan/ring_layout.hpp"

#include <algorithm>
#include <numeric>

namespace antiphon::plan {

namespace {

// Beyond this many slots, or firings before the periodic phases, a layout is not searched for.
constexpr std::int64_t most_slots = std::int64_t{1} << 22;

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

bool initial_windows_fit(const RingEnd& end, std::int64_t shift, std::int64_t slots) {
  const auto& rate = *end.rate;
  if (rate.initial_phases() > most_slots) return false;
  for (std::int64_t n = 0; n < rate.initial_phases(); ++n) {
    const auto position = (end.first + shift + rate.total(n)) % slots;
    if (position + rate.at(n) > slots) return false;
  }
  return true;
}

// Calls `visit(position, messages)` for every window that occurs in the ring, with repetitions.
template <typename Visit>
void each_window(const RingEnd& end, const RingLayout& layout, Visit visit) {
  const auto& rate = *end.rate;
  const auto cycles = rate.sum() == 0 ? 0 : layout.slots / rate.sum();
  const auto firings = rate.initial_phases() + cycles * rate.phases();
  auto position = end.first + layout.shift;
  for (std::int64_t n = 0; n < firings; ++n) {
    const auto messages = rate.at(n);
    if (messages > 0) visit(position % layout.slots, messages);
    position += messages;
  }
}

bool fits(const RingRequest& request, std::int64_t shift, std::int64_t slots) {
  return std::all_of(request.ends.begin(), request.ends.end(), [&](const RingEnd& end) {
    return boundary_at_zero(*end.rate, end.first + shift + end.rate->initial_sum()) &&
           initial_windows_fit(end, shift, slots);
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

}  // namespace

std::optional<RingLayout> lay_out(const RingRequest& request) {
  std::int64_t cycle = 1;
  std::int64_t longest_start = 1;
  bool on_device = false;
  bool single = true;  // one message in every firing, at every end
  for (const auto& end : request.ends) {
    const auto& rate = *end.rate;
    if (rate.sum() > most_slots || rate.initial_sum() > most_slots) return std::nullopt;
    if (rate.sum() > 0) cycle = std::lcm(cycle, rate.sum());
    if (cycle > most_slots) return std::nullopt;
    longest_start = std::max({longest_start, rate.initial_sum(), rate.max()});
    on_device = on_device || end.on_device;
    single = single && rate.is_constant(1);
  }

  RingLayout layout;
  const auto least = std::max(request.capacity, longest_start);
  if (on_device) {
    // Powers of two times the cycle: rings of one actor then recur together, after few firings.
    for (layout.slots = cycle; layout.slots < least; layout.slots *= 2) {
      if (layout.slots > most_slots) return std::nullopt;
    }
  } else {
    if (least > INT64_MAX - cycle) return std::nullopt;
    layout.slots = (least + cycle - 1) / cycle * cycle;
  }

  const auto shifts = single ? std::int64_t{1} : std::min(layout.slots, most_slots);
  for (layout.shift = 0; layout.shift < shifts; ++layout.shift) {
    if (fits(request, layout.shift, layout.slots)) break;
  }
  if (layout.shift == shifts) return std::nullopt;

  const auto item = std::max<std::size_t>(request.message_bytes, 1);
  if (single || !on_device) {
    layout.stride =
        aligned(item, on_device ? std::max(request.device_alignment, request.message_alignment)
                                : request.message_alignment);
    // More than can be addressed is left for the allocation to refuse, which knows the owner.
    const auto slots = static_cast<std::size_t>(layout.slots);
    layout.bytes = slots > PTRDIFF_MAX / layout.stride ? PTRDIFF_MAX : slots * layout.stride;
    return layout;
  }
  if (layout.slots > most_slots || !pad(layout, request)) return std::nullopt;
  return layout;
}

}  // namespace antiphon::plan
