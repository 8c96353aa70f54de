// The memory of one run: its rings, on the host or where the device reaches them.
#pragma once

#include "base/result.hpp"
#include "device/device.hpp"
#include "plan/placed.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace antiphon::engine {

// Made for one run, with the initial messages in place.
class Storage {
 public:
  static Result<std::unique_ptr<Storage>> make(const plan::Placed& placed);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // The first byte of a slot; on the host's side.
  std::byte* at(std::uint32_t ring, std::int64_t slot) const noexcept {
    return rings_[ring].memory + layouts_[ring]->offset(slot);
  }
  device::Buffer* buffer(std::uint32_t ring) const noexcept { return rings_[ring].buffer.get(); }
  // The descriptor sets of a GPU actor, by its window_index.
  const device::Bindings& bindings(std::size_t actor, std::size_t index) const noexcept {
    return *bindings_[actor][index];
  }

 private:
  struct Ring {
    std::byte* memory = nullptr;
    std::unique_ptr<std::byte[]> host;
    std::size_t constructed = 0;  // slots that hold an object which must be destroyed
    std::unique_ptr<device::Buffer> buffer;
  };

  explicit Storage(const plan::Placed& placed);
  Status make_ring(std::size_t index);
  Status make_bindings(std::size_t actor);

  const plan::Placed& placed_;
  std::vector<const plan::RingLayout*> layouts_;
  std::vector<Ring> rings_;
  std::vector<std::vector<std::unique_ptr<device::Bindings>>>
      bindings_;  // destroyed before the buffers
};

}  // namespace antiphon::engine
