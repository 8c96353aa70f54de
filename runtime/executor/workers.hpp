// Our own worker threads: they run tasks, take roles when there are none, spin a little, then
// sleep.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

namespace antiphon::executor {

using Task = std::uint32_t;

// What the workers do. Called on any worker, by several at once; nothing may be thrown out of it.
class Work {
 public:
  virtual ~Work() = default;
  virtual void run(Task task, unsigned worker) noexcept = 0;
  // No task is to be had: take up a role, such as waiting for a device. False: there is none to
  // take, the worker may sleep.
  virtual bool take_role(unsigned worker) noexcept = 0;
  // Whether there may be one to take.
  virtual bool offers_role() const noexcept = 0;
};

// A queue of tasks and the threads that serve it. The queue (moodycamel's) carries wake-ups and
// holds each task at most once at a time, so it needs no capacity.
class Workers {
 public:
  // Starts the threads; `work` must outlive them. Before it sleeps a worker looks for tasks for
  // `spin_for`. Throws Error{out_of_memory} when the system gives fewer threads: none is left
  // running.
  Workers(Work& work, unsigned threads, std::chrono::nanoseconds spin_for);
  // Waits until every thread has finished what it runs; tasks that are still queued are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Any thread.
  void post(Task task);
  // Wakes one sleeping worker, if any, so that it looks for a role. Any thread.
  void nudge();
  // True when some worker sleeps (a moment ago). Any thread.
  bool any_asleep() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antiphon::executor
