// The CPU actors of one run: their functions, and the messages that each firing sees.
#pragma once

#include "engine/actors.hpp"
#include "engine/scheduler.hpp"
#include "engine/storage.hpp"
#include "plan/placed.hpp"
#include "trace/recorder.hpp"

#include <cstdint>
#include <vector>

namespace antiphon::engine {

class CpuSide {
 public:
  // Throws RunFailed when a function can't be copied.
  CpuSide(const plan::Placed& placed, Actors& actors, const Storage& storage, Scheduler& scheduler,
          trace::Recorder* recorder, bool measure);

  // Fires the actor as often as it may; its activity has begun, and rests or is retired when this
  // returns. What became ready by its last firing is left with the scheduler, for the worker to go
  // on with.
  void look_after(ActorId a, unsigned worker) noexcept;
  // For a run on one thread: fires it once, if it may; otherwise what it met, and its activity
  // rests or is retired unless somebody asked again.
  enum class Step { fired, asked_again, over };
  Step step(ActorId a, unsigned worker) noexcept;

 private:
  void end_stream(ActorId a, unsigned worker) noexcept;
  void fire(ActorId a, unsigned worker) noexcept;
  void ask_neighbours(ActorId a, unsigned worker) noexcept;

  const plan::Placed& placed_;
  Actors& actors_;
  const Storage& storage_;
  Scheduler& scheduler_;
  trace::Recorder* const recorder_;
  const bool timed_;

  struct Body {
    CpuFunction::Body function;
    std::vector<Firing::Window> windows;
    std::vector<std::int64_t> slots;  // of each port's next message
  };
  std::vector<Body> bodies_;  // per actor; of whoever looks after it
};

}  // namespace antiphon::engine
