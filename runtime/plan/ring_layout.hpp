// Where the messages of one channel lie in memory, so that every window of every firing is one
// piece.
#pragma once

#include <antiphon/phase_sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace antiphon::plan {

// One end of a ring: the writer or a reader.
struct RingEnd {
  const PhaseSequence* rate = nullptr;
  std::int64_t first = 0;  // position in the stream of its first message: the initial messages for
                           // the writer, 0 for a reader
  bool on_device = false;  // its windows must begin at the device's offset alignment
};

struct RingLayout {
  std::int64_t slots = 0;  // messages, the prologue's included
  // The first messages of the stream have slots of their own, which are used once. Where windows of
  // initial phases cross later ones and each must begin where the device can address it, there is
  // no other way.
  std::int64_t prologue = 0;
  // Message i of the stream, from the prologue on, lies this far behind the prologue, round the
  // rest.
  std::int64_t shift = 0;
  std::size_t stride = 0;            // bytes from slot to slot, where `offsets` is empty
  std::vector<std::size_t> offsets;  // bytes, per slot, where windows are padded apart
  // Where windows of no messages begin: room for the largest, which nobody else uses. Only on the
  // device, where a kernel always sees something.
  std::size_t spare = 0;
  std::size_t bytes = 0;

  std::size_t offset(std::int64_t slot) const noexcept {
    return offsets.empty() ? static_cast<std::size_t>(slot) * stride
                           : offsets[static_cast<std::size_t>(slot)];
  }
  // Slots that are used again and again.
  std::int64_t recurring() const noexcept { return slots - prologue; }
  // Of message i of the stream.
  std::int64_t slot_of(std::int64_t i) const noexcept {
    return i < prologue ? i : prologue + (i - prologue + shift) % recurring();
  }
  // Of the message that comes so many (at most recurring()) after the one in `slot`.
  std::int64_t after(std::int64_t slot, std::int64_t messages) const noexcept {
    return slot + messages < slots ? slot + messages : slot + messages - recurring();
  }
};

struct RingRequest {
  std::span<const RingEnd> ends;
  std::size_t message_bytes = 0;
  std::size_t message_alignment = 1;
  std::size_t device_alignment = 1;
  std::int64_t capacity = 0;  // messages; the layout has at least as many slots
};

// Why there is no layout.
struct NoLayout {
  bool copy_helps = false;  // windows cross: a copy between the ends lets each have its own ring
  std::string reason;
};

// The smallest layout found in which no window of any end wraps around the ring's end or spans
// padding, or nothing, and why: then a copy between the ends may be needed (rates 2 and 2 with one
// initial message, for example). With one end besides ends of constant rate 1 on the host there
// always is one, unless the ring gets too long.
std::optional<RingLayout> lay_out(const RingRequest& request, NoLayout* why = nullptr);

}  // namespace antiphon::plan
