#include <antiphon/runtime.hpp>

#include "check/check_graph.hpp"
#include "check/starvation.hpp"
#include "device/vulkan/vulkan_device.hpp"
#include "engine/execution.hpp"
#include "plan/placed.hpp"
#include "trace/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

namespace antiphon {

RunFailed::RunFailed(ErrorKind kind, std::string actor, std::int64_t firing,
                     const std::string& message, std::exception_ptr cause)
    : Error(kind, actor.empty()
                      ? message
                      : fmt::format("actor '{}' failed in firing {}: {}", actor, firing, message)),
      actor_(std::move(actor)),
      firing_(firing),
      cause_(std::move(cause)) {}

Plan::Plan(std::shared_ptr<const plan::Placed> placed) : placed_(std::move(placed)) {}

const Report& Plan::report() const noexcept {
  return placed_->checked->report();
}

std::vector<Plan::Ring> Plan::rings() const {
  std::vector<Ring> rings;
  for (const auto& ring : placed_->rings) {
    rings.push_back({ring.channel, ring.capacity, ring.layout.slots, ring.layout.bytes,
                     ring.on_device, ring.realigned});
  }
  return rings;
}

Run::Run(std::unique_ptr<engine::Execution> execution) : execution_(std::move(execution)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&& other) noexcept {
  if (this != &other) {
    engine::Execution::retire_whole(std::exchange(execution_, std::move(other.execution_)));
  }
  return *this;
}
Run::~Run() {
  engine::Execution::retire_whole(std::move(execution_));
}

RunReport Run::wait() {
  if (!execution_) throw Error(ErrorKind::misuse, "this run was moved from: wait for the other");
  return execution_->wait();
}
void Run::stop() noexcept {
  if (execution_) execution_->request_stop();
}
bool Run::over() const noexcept {
  return !execution_ || execution_->over();
}
Progress Run::progress() const {
  return execution_ ? execution_->progress() : Progress{};
}

struct Runtime::Shared {
  RuntimeOptions options;
  std::mutex mutex;
  std::shared_ptr<device::Device> device;  // guarded by mutex; null until it is needed

  std::shared_ptr<device::Device> open() {
    const std::lock_guard lock(mutex);
    if (!device || device->abandoned()) {
      device = device::vulkan::open({options.device, options.validation}).value_or_throw();
      if (trace::logs(LogLevel::info))
        trace::log(LogLevel::info, "device: " + device->profile().name);
    }
    return device;
  }

  // One more than there are cores where one may sleep in a wait for the device, and for each
  // firing that may sleep in a function.
  unsigned workers(const plan::Placed& placed) const {
    if (options.workers > 0) return options.workers;
    const auto blocked = static_cast<unsigned>(analysis::most_blocked(placed.checked->subject()));
    return std::max(2U, std::thread::hardware_concurrency()) + (placed.device ? 1 : 0) + blocked;
  }
};

Runtime::Runtime() : Runtime(RuntimeOptions{}) {}
Runtime::Runtime(RuntimeOptions options) : shared_(std::make_shared<Shared>()) {
  shared_->options = std::move(options);
}

Plan Runtime::plan(const Graph& graph, const CheckOptions& options) {
  auto whole = options;
  whole.kernels = true;
  whole.threads = shared_->options.workers;
  auto outcome = analysis::check_graph(graph.model(), whole);
  if (!outcome.graph) throw InvalidGraph(std::move(outcome.report));
  const auto& actors = graph.model().actors;
  const bool any_on_gpu = std::any_of(actors.begin(), actors.end(),
                                      [](const ActorModel& a) { return a.side == Side::gpu; });
  const auto device = any_on_gpu ? shared_->open() : nullptr;
  const auto messages_before = device ? device->validation_messages().size() : 0;
  auto placed = plan::place(std::move(outcome.graph), device);
  if (auto* unplaced = std::get_if<plan::Unplaced>(&placed)) {
    if (unplaced->report) throw InvalidGraph(std::move(*unplaced->report));
    throw Error(unplaced->failure.kind, unplaced->failure.message);
  }
  if (device) {
    const auto messages = device->validation_messages();
    if (messages.size() > messages_before) {
      throw Error(ErrorKind::internal, "Vulkan validation: " + messages[messages_before]);
    }
  }
  return Plan(std::get<0>(std::move(placed)));
}

RunReport Runtime::run(const Plan& plan, RunOptions options) {
  const bool here = options.order == Order::sequential;
  Run run(std::make_unique<engine::Execution>(plan.placed_, std::move(options),
                                              here ? 0 : shared_->workers(*plan.placed_)));
  if (here) {
    run.execution_->run_here();
  } else {
    run.execution_->start();
  }
  return run.wait();
}

Run Runtime::start(const Plan& plan, RunOptions options) {
  if (options.order == Order::sequential) {
    throw Error(ErrorKind::misuse, "a sequential run has no thread of its own: call Runtime::run");
  }
  auto execution = std::make_unique<engine::Execution>(plan.placed_, std::move(options),
                                                       shared_->workers(*plan.placed_));
  execution->start();
  return Run(std::move(execution));
}

std::string Runtime::device_name() {
  return shared_->open()->profile().name;
}

DeviceProfile Runtime::device_profile() {
  return shared_->open()->profile();
}

std::vector<DeviceProfile> device_profiles() {
  return device::vulkan::list().value_or_throw();
}

}  // namespace antiphon
