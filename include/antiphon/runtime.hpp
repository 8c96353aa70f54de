// Plans checked graphs for the devices of this machine, and runs them.
#pragma once

#include <antiphon/check.hpp>
#include <antiphon/device_profile.hpp>
#include <antiphon/graph.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon {

namespace plan {
struct Placed;
}
namespace engine {
class Execution;
}

struct RuntimeOptions {
  // Which Vulkan device, by a part of its name; empty: a discrete one before an integrated one
  // before a software one.
  std::string device = {};
  // Worker threads; 0: as many as the machine has hardware threads, at least 2, and one more where
  // one may sleep in a wait for the device, and for each firing that may block.
  unsigned workers = 0;
  // Loads the Khronos validation layer and treats each of its messages as a failure of the run.
  bool validation = false;
};

// A checked graph, placed: what lies where, and in which form each queue gets its work. It owns a
// snapshot of the graph, so the graph may change or go. The only thing that runs.
//
// A handle: copies share. Any thread; it may be run many times, also at once.
class Plan {
 public:
  // A move copies, too: no plan is ever empty.
  Plan(const Plan&) = default;
  Plan& operator=(const Plan&) = default;

  const Report& report() const noexcept;

  // Where the messages of one channel lie.
  struct Ring {
    std::string channel;
    std::int64_t capacity = 0;  // messages: what the check reasoned with
    std::int64_t slots = 0;     // messages: what is really there, at least the capacity
    std::size_t bytes = 0;
    bool on_device = false;  // in memory that the GPU reaches
    bool realigned = false;  // a copy actor follows: no shift of the ring kept its windows whole
  };
  std::vector<Ring> rings() const;

 private:
  friend class Runtime;
  explicit Plan(std::shared_ptr<const plan::Placed> placed);
  std::shared_ptr<const plan::Placed> placed_;
};

enum class Order {
  overlapped,  // everything that can run runs
  sequential,  // one firing after another on the calling thread; the same results, bit for bit
};

struct ActorStats {
  std::string name;
  Side side = Side::cpu;
  std::int64_t firings = 0;
  std::chrono::nanoseconds busy{0};  // inside its function, or on the device
  // While it could not start its next firing, until somebody took it up again: for messages to
  // come, or for room in a channel.
  std::chrono::nanoseconds waiting_on_data{0};
  std::chrono::nanoseconds waiting_on_space{0};
};

struct ChannelStats {
  std::string name;
  std::int64_t capacity = 0;    // messages
  std::int64_t messages = 0;    // that its writer sent
  std::uint64_t bytes = 0;      // of these
  std::int64_t high_water = 0;  // the most messages seen in it when its writer had sent some
};

struct Progress {
  std::chrono::nanoseconds elapsed{0};
  std::vector<std::int64_t> firings;  // per actor, in the graph's order
};

struct RunOptions {
  // So many iterations of the graph; unless said, until its sources end or it is stopped.
  std::optional<std::int64_t> iterations = {};
  Order order = Order::overlapped;
  std::stop_token stop = {};
  // Called on a thread of the runtime's, never twice at once, every `progress_interval`.
  std::function<void(const Progress&)> on_progress = {};
  std::chrono::milliseconds progress_interval{100};
  // A firing that has been started and does not end for so long ends the run, which throws Hung. An
  // actor that says it is blocking has all the time it likes until the run is to stop. 0: never.
  std::chrono::nanoseconds patience = std::chrono::minutes(1);
  // Measures how long firings take and what they wait for, for the times in ActorStats (on the
  // device: two timestamps a firing) and for ChannelStats::high_water. Otherwise these are 0.
  bool measure = true;
  // A Chrome/Perfetto trace is written here when the run ends; empty: none.
  std::filesystem::path trace = {};
};

enum class Outcome {
  completed,  // the iterations that were asked for
  ended,      // the streams ended
  stopped,    // the stop token said so
};

struct RunReport {
  Outcome outcome = Outcome::completed;
  std::chrono::nanoseconds elapsed{0};
  std::vector<ActorStats> actors;      // in the graph's order
  std::vector<ChannelStats> channels;  // the same
  // Messages that no reader took before its stream ended, per channel that has any.
  struct Leftover {
    std::string channel;
    std::int64_t messages = 0;
  };
  std::vector<Leftover> leftovers;
};

// A run that failed: the first failure, by the actor's name and firing.
class RunFailed : public Error {
 public:
  RunFailed(ErrorKind kind, std::string actor, std::int64_t firing, const std::string& message,
            std::exception_ptr cause);
  const std::string& actor() const noexcept { return actor_; }
  std::int64_t firing() const noexcept { return firing_; }
  // What the actor's function threw; null when the device failed.
  const std::exception_ptr& cause() const noexcept { return cause_; }

 private:
  std::string actor_;
  std::int64_t firing_;
  std::exception_ptr cause_;
};

// A run in which a function or a kernel does not end. All that the run had, its thread or its
// device included, is kept for ever, since that may still use it; what the caller's functions refer
// to must outlive it, too. A device that hangs is not used again: the next plan opens it anew.
class Hung : public RunFailed {
 public:
  using RunFailed::RunFailed;
};

// A run under way. Destroying it stops it and waits for what is in flight.
// Move-only; any thread may stop it, one at a time may wait.
class Run {
 public:
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  // Returns when the run is over; throws RunFailed. Again: the same at once. Throws Error{misuse}
  // on a run that was moved from, to which nothing else happens.
  RunReport wait();
  // Asks it to end; what is in flight is finished first.
  void stop() noexcept;
  bool over() const noexcept;
  Progress progress() const;

 private:
  friend class Runtime;
  explicit Run(std::unique_ptr<engine::Execution> execution);
  std::unique_ptr<engine::Execution> execution_;
};

// The device and the options that plans are made for. Vulkan is opened when it is first needed:
// graphs without GPU actors run on machines without it.
//
// A handle: copies share. Any thread. Plans and runs keep the device alive.
class Runtime {
 public:
  Runtime();
  explicit Runtime(RuntimeOptions options);
  // A move copies, too.
  Runtime(const Runtime&) = default;
  Runtime& operator=(const Runtime&) = default;

  // Checks the graph, kernels and all, and places it. Throws InvalidGraph with the whole report,
  // also when an actor is unbound or the device is too small for it; Error{no_device, unsupported,
  // device_lost, out_of_memory} when this machine cannot run it; Error{internal} on a message of
  // the validation layer.
  Plan plan(const Graph& graph, const CheckOptions& options = {});
  // Runs it to its end. Throws RunFailed; before anything fires Error{out_of_memory} when there is
  // no memory for its channels or threads, Error{misuse} for options that can't be,
  // Error{unwritable} for a trace.
  RunReport run(const Plan& plan, RunOptions options = {});
  // The same without waiting. Order::sequential has no thread of its own: use run.
  Run start(const Plan& plan, RunOptions options = {});

  // The name the device gives itself; opens it.
  std::string device_name();
  // What it says of itself; opens it.
  DeviceProfile device_profile();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// The Vulkan devices of this machine, also those that are too old to be used; none is opened.
// Throws Error{no_device} without a loader. Any thread.
std::vector<DeviceProfile> device_profiles();

}  // namespace antiphon
