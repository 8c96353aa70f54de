// How the parts of a run speak to it.
#pragma once

#include "engine/actors.hpp"

#include <antiphon/error.hpp>

#include <cstdint>
#include <exception>
#include <string>

namespace antiphon::engine {

// What the sides of a run, the CPU's and the device's, ask of the run that they belong to. Any
// thread.
class Scheduler {
 public:
  // A run goes on while something holds it.
  virtual void hold() noexcept = 0;
  virtual void release() noexcept = 0;
  virtual bool stopping() const noexcept = 0;
  // Look at the actor: it may have become ready. `worker` makes the call.
  virtual void ask(ActorId actor, unsigned worker) noexcept = 0;
  // Before a function that may take long: what this worker made ready goes to whoever is free, and
  // somebody looks after the device.
  virtual void before_firing(unsigned worker) noexcept = 0;
  // What was asked of the device is submitted.
  virtual void after_firing(unsigned worker) noexcept = 0;
  // The actor will not fire again.
  virtual void retire(ActorId actor) noexcept = 0;
  virtual void fail(ErrorKind kind, ActorId actor, std::int64_t firing, const std::string& message,
                    std::exception_ptr cause) noexcept = 0;

 protected:
  ~Scheduler() = default;
};

}  // namespace antiphon::engine
