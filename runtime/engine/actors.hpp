// The actors of one run: their timelines, and whether the next firing of each may start.
#pragma once

#include "plan/placed.hpp"
#include "sync/activity.hpp"
#include "sync/timeline.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace antiphon::engine {

using ActorId = std::uint32_t;

// No firing is the last one yet.
inline constexpr std::int64_t open_ended = INT64_MAX;

// One wait of an actor, with the timepoint that its next firing needs.
struct PendingWait {
  std::uint32_t wait = 0;  // index into the relation's
  ActorId source = 0;
  relation::WaitKind kind = relation::WaitKind::data;
  // Both ends are on the device, which enforces the order itself: the source's submitted firings
  // count.
  bool by_submission = false;
  // Constant rates, for which the next timepoint is a division: 0 when they are not.
  std::int64_t need = 0;
  std::int64_t gain = 0;
  std::int64_t offset = 0;
  std::int64_t required = 0;  // INT64_MAX: no firing of the source is enough
  // Firings of the source that were counted when its timeline was last read: it is read again only
  // when these are not enough, so that who runs ahead takes no cache line from who publishes.
  std::int64_t seen = 0;
};

enum class Readiness {
  ready,
  waiting,
  ended,     // a closed input can no longer feed it, or nobody reads it any more
  finished,  // it has done the firings that the run asks of it
};

struct ActorState {
  // Read by the neighbours, written by whoever looks after the actor:
  alignas(64) sync::Timeline ended;  // t: firings that have ended
  sync::Timeline submitted;          // s: GPU actors, firings handed to the device
  // The number of firings after which none will come; open_ended while the stream goes on.
  std::atomic<std::int64_t> last{open_ended};

  // Written by the neighbours:
  alignas(64) sync::Activity activity;
  std::atomic<std::uint32_t> open_readers{0};  // other actors that read it and have not ended

  // Of whoever looks after the actor (its activity is busy; for GPU actors the submit role):
  alignas(64) std::int64_t next = 0;  // the firing that comes next
  std::int64_t target = open_ended;
  bool done = false;
  std::vector<PendingWait> waits;
  relation::WaitKind held_by = relation::WaitKind::data;  // the last time that it was not ready
  std::int64_t rests_since_ns = 0;                        // 0: it does not, or nothing is measured
  std::int64_t busy_ns = 0;
  std::int64_t waited_for_data_ns = 0;
  std::int64_t waited_for_space_ns = 0;
};

// States and rules; no thread of its own. Everything is fixed after construction but the
// ActorStates.
class Actors {
 public:
  Actors(const plan::Placed& placed, std::optional<std::int64_t> iterations);

  std::size_t size() const noexcept { return count_; }
  ActorState& operator[](ActorId a) noexcept { return states_[a]; }
  const ActorState& operator[](ActorId a) const noexcept { return states_[a]; }
  bool on_gpu(ActorId a) const noexcept { return placed_.actors[a].side == Side::gpu; }

  // May firing `next` start? By whoever looks after the actor.
  Readiness readiness(ActorId a) noexcept;
  // How many firings from `next` on may start by what was seen of its neighbours: at least 1.
  // REQUIRES: it was found ready, and has not advanced since.
  std::int64_t allowed(ActorId a) const noexcept;
  // After so many firings from `next` on were started: turns to the one after them.
  void advance(ActorId a, std::int64_t firings = 1) noexcept;
  // Counts what the actor waits for from its rest to its next look: around both, by whoever looks
  // after it.
  void begin_wait(ActorId a) noexcept;
  void end_wait(ActorId a) noexcept;
  // It did not come to a rest after all.
  void drop_wait(ActorId a) noexcept { states_[a].rests_since_ns = 0; }
  // After firings of `a` were published: how much its channels hold now. By whoever published.
  void note_levels(ActorId a) noexcept;
  // The most that a channel was seen to hold. When nobody fires any more.
  std::int64_t high_water(std::size_t channel) const noexcept { return high_water_[channel]; }

  // The actors that an advance or an end of `a` may make ready, each once, never itself.
  std::span<const ActorId> neighbours(ActorId a) const noexcept { return neighbours_[a]; }
  // True when a CPU actor waits for `a`: what `a` did must become known to the host.
  bool host_waits_for(ActorId a) const noexcept { return host_waits_[a]; }
  // The stream of `a` ends after `firings` of its firings. By whoever looks after the actor, once.
  void close(ActorId a, std::int64_t firings) noexcept;

 private:
  void set_targets(std::int64_t iterations);
  void require(ActorId a, PendingWait& wait) const noexcept;

  const plan::Placed& placed_;
  std::size_t count_;
  std::unique_ptr<ActorState[]> states_;
  std::vector<std::vector<ActorId>> neighbours_;
  std::vector<std::vector<ActorId>>
      writers_of_;  // actors that `a` reads from, each once, not itself
  std::vector<bool> host_waits_;
  std::vector<bool> has_readers_;
  std::vector<std::vector<std::uint32_t>> outflows_;  // data waits upon an actor, by it
  std::vector<std::int64_t> high_water_;              // by channel; of its writer
};

}  // namespace antiphon::engine
