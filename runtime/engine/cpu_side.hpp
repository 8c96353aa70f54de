// The CPU actors of one run: their functions, and the messages that each firing sees.
#pragma once

#include "engine/actors.hpp"
#include "engine/scheduler.hpp"
#include "engine/storage.hpp"
#include "engine/watchdog.hpp"
#include "plan/placed.hpp"
#include "trace/recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace antiphon::engine {

class CpuSide {
 public:
  // `workers` may fire at once. Throws RunFailed when a function can't be copied.
  CpuSide(const plan::Placed& placed, Actors& actors, const Storage& storage, Scheduler& scheduler,
          trace::Recorder* recorder, bool measure, unsigned workers);
  ~CpuSide();
  CpuSide(const CpuSide&) = delete;
  CpuSide& operator=(const CpuSide&) = delete;

  // Fires the actor as often as it may; its activity has begun, and rests or is retired when this
  // returns. What became ready by its last firing is left with the scheduler, for the worker to go
  // on with.
  void look_after(ActorId a, unsigned worker) noexcept;
  // For a run on one thread: fires it once, if it may; otherwise its activity rests or is retired,
  // unless somebody asked again.
  enum class Step { fired, asked_again, over };
  Step step(ActorId a, unsigned worker) noexcept;
  // What each worker is at, the calling thread of a sequential run last.
  const std::vector<Presence>& presences() const noexcept { return presences_; }

 private:
  // A port, and where its next message lies.
  struct Port {
    // Where slots lie one behind the other and every firing takes as many: the next window, which
    // never wraps, begins `step` bytes on, or, at the end, at the beginning.
    std::byte* at = nullptr;
    std::byte* end = nullptr;  // null: see below
    std::size_t step = 0;
    std::byte* begin = nullptr;
    // Otherwise:
    const PhaseSequence* rate = nullptr;
    const plan::RingLayout* layout = nullptr;
    std::uint32_t ring = 0;
    std::size_t message_bytes = 0;
    std::int64_t slot = 0;
  };
  // What one firing at a time needs: the function, and the messages that it sees.
  struct Lane {
    CpuFunction::Body function;
    std::vector<Firing::Window> windows;
  };
  // Of an actor whose firings may run at once: what they share.
  struct Shared {
    std::mutex mutex;
    // All guarded by mutex:
    std::vector<std::uint32_t> free;  // lanes
    std::vector<bool> over;           // by firing, modulo its size: ended, and not published yet
  };
  struct Body {
    std::vector<Lane> lanes;
    std::vector<Port> ports;
    std::unique_ptr<Shared> shared;   // null: one firing at a time
    std::int64_t run_ns = INT64_MAX;  // what its last run that was timed took
    bool quick = false;               // its last firing that was timed took next to no time
    std::uint8_t runs = 0;            // counts those, to time one of them now and then
  };
  enum class Fired { published, ended, failed };

  Readiness readiness(ActorId a) noexcept;
  void end_stream(ActorId a, unsigned worker) noexcept;
  void retire(ActorId a, Readiness why, unsigned worker) noexcept;
  void set_windows(Body& body, Lane& lane, std::int64_t n) const noexcept;
  void set_uneven_window(Port& port, Firing::Window& window, std::int64_t n) const noexcept;
  void run(ActorId a, unsigned worker) noexcept;
  Fired fire(ActorId a, std::int64_t n) noexcept;
  Fired fire_several(ActorId a, std::int64_t most, unsigned worker, std::int64_t& count) noexcept;
  void begin_one(ActorId a, unsigned worker) noexcept;
  void publish(ActorId a, std::int64_t n, std::uint32_t lane, bool failed) noexcept;
  void ask_neighbours(ActorId a, unsigned worker) noexcept;

  Actors& actors_;
  const plan::Placed& placed_;
  const Storage& storage_;
  Scheduler& scheduler_;
  trace::Recorder* const recorder_;
  const bool measure_;
  std::vector<Body> bodies_;  // per actor; of whoever looks after it
  std::vector<Presence> presences_;
};

}  // namespace antiphon::engine
