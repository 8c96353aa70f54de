#include "engine/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace antiphon::engine {

Storage::Storage(const plan::Placed& placed) : placed_(placed) {
  for (const auto& ring : placed.rings) layouts_.push_back(&ring.layout);
  rings_.resize(placed.rings.size());
  bindings_.resize(placed.actors.size());
}

Storage::~Storage() {
  bindings_.clear();
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    const auto& type = placed_.rings[i].type;
    for (std::size_t slot = 0; slot < rings_[i].constructed; ++slot) {
      type.destroy(rings_[i].memory + layouts_[i]->offset(static_cast<std::int64_t>(slot)));
    }
  }
}

Result<std::unique_ptr<Storage>> Storage::make(const plan::Placed& placed) {
  std::unique_ptr<Storage> storage(new Storage(placed));
  for (std::size_t i = 0; i < placed.rings.size(); ++i) {
    if (auto done = storage->make_ring(i); !done) return done.failure();
  }
  for (std::size_t a = 0; a < placed.actors.size(); ++a) {
    if (placed.actors[a].side != Side::gpu) continue;
    if (auto done = storage->make_bindings(a); !done) return done.failure();
  }
  return storage;
}

Status Storage::make_ring(std::size_t index) {
  const auto& spec = placed_.rings[index];
  const auto& layout = spec.layout;
  auto& ring = rings_[index];
  if (spec.on_device) {
    auto buffer = placed_.device->make_buffer({spec.channel, layout.bytes, spec.access});
    if (!buffer) return buffer.failure();
    ring.buffer = std::move(*buffer);
    ring.memory = ring.buffer->mapped();
    if (ring.memory != nullptr && spec.access != device::HostAccess::none) {
      std::memset(ring.memory, 0, layout.bytes);
    }
  } else {
    const auto alignment = std::max<std::size_t>(spec.type.alignment, 64);
    if (layout.bytes > PTRDIFF_MAX - alignment) {
      return Failure{
          ErrorKind::out_of_memory,
          fmt::format("channel '{}': {} slots of {} bytes are more than can be addressed",
                      spec.channel, layout.slots, layout.stride)};
    }
    try {
      ring.host = std::make_unique<std::byte[]>(layout.bytes + alignment);
    } catch (const std::bad_alloc&) {
      return Failure{ErrorKind::out_of_memory,
                     fmt::format("channel '{}': no memory for {} slots, {} bytes in all",
                                 spec.channel, layout.slots, layout.bytes)};
    }
    void* aligned = ring.host.get();
    auto space = layout.bytes + alignment;
    ring.memory = static_cast<std::byte*>(std::align(alignment, layout.bytes, aligned, space));
    if (!spec.type.trivial()) {
      try {
        for (; ring.constructed < static_cast<std::size_t>(layout.slots); ++ring.constructed) {
          spec.type.construct(ring.memory +
                              layout.offset(static_cast<std::int64_t>(ring.constructed)));
        }
      } catch (const std::bad_alloc&) {
        return Failure{ErrorKind::out_of_memory,
                       fmt::format("channel '{}': no memory for its messages", spec.channel)};
      } catch (const std::exception& error) {
        return Failure{ErrorKind::actor_failed,
                       fmt::format("channel '{}': a message could not be constructed: {}",
                                   spec.channel, error.what())};
      } catch (...) {
        return Failure{
            ErrorKind::actor_failed,
            fmt::format("channel '{}': a message could not be constructed", spec.channel)};
      }
    }
  }
  if (!spec.initial_values.empty()) {
    for (std::int64_t i = 0; i < spec.initial; ++i) {
      const auto slot = layout.slot_of(i);
      std::memcpy(ring.memory + layout.offset(slot),
                  spec.initial_values.data() + static_cast<std::size_t>(i) * spec.type.size,
                  spec.type.size);
    }
  }
  return {};
}

Status Storage::make_bindings(std::size_t a) {
  const auto& actor = placed_.actors[a];
  std::vector<std::int64_t> slots;
  for (const auto& port : actor.ports) slots.push_back(port.start);
  std::vector<device::Window> windows(actor.ports.size());
  const auto sets = actor.initial_firings + actor.recurrence;
  bindings_[a].reserve(static_cast<std::size_t>(sets));
  for (std::int64_t n = 0; n < sets; ++n) {
    for (std::size_t p = 0; p < actor.ports.size(); ++p) {
      const auto& port = actor.ports[p];
      const auto& spec = placed_.rings[port.ring];
      const auto messages = port.rate.at(n);
      // A window of no messages must still be bound to something that a kernel may write.
      windows[p] = {
          rings_[port.ring].buffer.get(),
          messages == 0 ? spec.layout.spare : spec.layout.offset(slots[p]),
          static_cast<std::size_t>(messages == 0 ? port.rate.max() : messages) * spec.type.size};
      slots[p] = spec.layout.after(slots[p], messages);
    }
    auto set = placed_.device->make_bindings(*actor.kernel, windows, actor.name);
    if (!set) return set.failure();
    bindings_[a].push_back(std::move(*set));
  }
  return {};
}

}  // namespace antiphon::engine
