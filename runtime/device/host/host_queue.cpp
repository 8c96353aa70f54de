#include "device/checks.hpp"
#include "device/host/shared_state.hpp"
#include "sync/steady_ns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace antiphon::device::host {

namespace {

Span execute(const Dispatch& dispatch) {
  Span span;
  span.begin_ns = sync::steady_ns();
  const auto& kernel = static_cast<const HostKernel&>(*dispatch.kernel);
  const auto* const bindings = static_cast<const HostBindings*>(dispatch.bindings);
  static const std::vector<std::span<std::byte>> no_windows;
  kernel.function()(bindings != nullptr ? bindings->windows() : no_windows, dispatch.groups);
  span.end_ns = sync::steady_ns();
  return span;
}

}  // namespace

void Shared::run(std::uint32_t queue) {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return ending || !jobs[queue].empty(); });
    if (jobs[queue].empty()) return;
    auto job = std::move(jobs[queue].front());
    jobs[queue].pop_front();
    if (loss) continue;
    if (++batches == options.faults.losing_batch) {
      loss = Failure{ErrorKind::device_lost,
                     fmt::format("device '{}' is lost: batch {} of queue '{}' did not end",
                                 options.profile.name, job.value, job.timeline->name)};
      changed.notify_all();
      continue;
    }
    job.timeline->running = true;
    lock.unlock();
    std::vector<Span> spans;
    for (const auto& dispatch : job.batch.dispatches) {
      const auto span = execute(dispatch);
      if (job.measure) spans.push_back(span);
    }
    lock.lock();
    job.timeline->done.push_back({job.value, std::move(spans)});
    job.timeline->completed = job.value;
    job.timeline->running = false;
    changed.notify_all();
  }
}

HostQueue::HostQueue(std::shared_ptr<Shared> shared, std::uint32_t index, std::string name)
    : shared_(std::move(shared)), index_(index), timeline_(std::make_shared<HostTimeline>()) {
  timeline_->name = std::move(name);
}

HostQueue::~HostQueue() {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait(lock, [&] {
    return timeline_->completed == timeline_->submitted || (shared_->loss && !timeline_->running);
  });
}

Status HostQueue::check(const Dispatch& dispatch) const {
  if (auto done = check_dispatch(shared_->options.profile, dispatch, timeline_->name); !done)
    return done;
  const auto& kernel = static_cast<const HostKernel&>(*dispatch.kernel);
  const auto* const bindings = static_cast<const HostBindings*>(dispatch.bindings);
  if ((bindings != nullptr ? bindings->windows().size() : 0) != kernel.bindings()) {
    return Failure{ErrorKind::misuse,
                   fmt::format("queue '{}': a dispatch of '{}' without its {} windows",
                               timeline_->name, kernel.name(), kernel.bindings())};
  }
  return {};
}

Result<std::uint64_t> HostQueue::submit(std::span<const Batch> batches, bool measure) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->loss) return *shared_->loss;
  for (const auto& batch : batches) {
    for (const auto& dispatch : batch.dispatches) {
      if (auto done = check(dispatch); !done) return done.failure();
    }
  }
  if (++shared_->submits == shared_->options.faults.failing_submit) {
    return Failure{ErrorKind::out_of_memory,
                   fmt::format("queue '{}' did not take a submission", timeline_->name)};
  }
  for (const auto& batch : batches) {
    const auto value = ++timeline_->submitted;
    for (const auto& dispatch : batch.dispatches) {
      const auto* const bindings = static_cast<const HostBindings*>(dispatch.bindings);
      shared_->recorded.push_back(
          {index_, timeline_->name, value, dispatch.before,
           static_cast<const HostKernel&>(*dispatch.kernel).name(),
           bindings != nullptr ? bindings->name() : "", dispatch.groups,
           bindings != nullptr ? bindings->offsets() : std::vector<std::size_t>{},
           batch.host_reads});
    }
    shared_->jobs[index_].push_back({timeline_, value, batch, measure});
  }
  shared_->changed.notify_all();
  return timeline_->submitted;
}

Result<std::uint64_t> HostQueue::completed() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->loss) return *shared_->loss;
  return timeline_->completed;
}

Result<WaitResult> HostQueue::wait(std::uint64_t value, std::chrono::nanoseconds at_most) {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->loss && value > timeline_->submitted) {
    return Failure{ErrorKind::misuse,
                   fmt::format("queue '{}': a wait for batch {}, and {} is the last submitted",
                               timeline_->name, value, timeline_->submitted)};
  }
  // Clocks overflow where a caller means "for ever".
  const auto patience = std::min<std::chrono::nanoseconds>(at_most, std::chrono::hours(24));
  const bool over = shared_->changed.wait_for(
      lock, patience, [&] { return shared_->loss || timeline_->completed >= value; });
  if (shared_->loss) return *shared_->loss;
  return over ? WaitResult::reached : WaitResult::timed_out;
}

Result<std::vector<Span>> HostQueue::collect(std::uint64_t value) {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->loss) return *shared_->loss;
  if (timeline_->done.empty() || timeline_->done.front().value != value) {
    return Failure{ErrorKind::misuse, fmt::format("queue '{}': batch {} is not the next to collect",
                                                  timeline_->name, value)};
  }
  auto spans = std::move(timeline_->done.front().spans);
  timeline_->done.pop_front();
  return spans;
}

}  // namespace antiphon::device::host
