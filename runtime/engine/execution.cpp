#include "engine/execution.hpp"

#include "trace/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>

namespace antiphon::engine {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
      .count();
}

// A worker that waits for the device looks up this often, so that a run never hangs on one that
// lies.
constexpr auto wait_at_most = std::chrono::milliseconds(100);

std::string describe(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

Execution::Execution(std::shared_ptr<const plan::Placed> placed, RunOptions options,
                     unsigned workers)
    : placed_(std::move(placed)),
      options_(std::move(options)),
      worker_count_(workers),
      actors_(*placed_, options_.iterations),
      workers_state_(workers + 1),
      bodies_(placed_->actors.size()) {
  if (options_.iterations && *options_.iterations < 0) {
    throw Error(ErrorKind::misuse, fmt::format("{} iterations can't be run", *options_.iterations));
  }
  if (!options_.trace.empty()) trace::Recorder::writable(options_.trace).throw_on_failure();
  if (placed_->device) messages_before_ = placed_->device->validation_messages().size();
  storage_ = Storage::make(*placed_).value_or_throw();
  if (!options_.trace.empty()) recorder_.emplace(workers + 1);
  bool any_on_device = false;
  for (std::size_t a = 0; a < placed_->actors.size(); ++a) {
    const auto& actor = placed_->actors[a];
    if (actor.side == Side::gpu) {
      any_on_device = true;
      continue;
    }
    auto& body = bodies_[a];
    try {
      body.function = actor.function.start();
    } catch (...) {
      const auto cause = std::current_exception();
      throw RunFailed(ErrorKind::actor_failed, actor.name, 0,
                      "its function could not be copied: " + describe(cause), cause);
    }
    body.windows.resize(actor.ports.size());
    for (const auto& port : actor.ports) body.slots.push_back(port.start);
  }
  if (any_on_device) {
    device_ = std::make_unique<DeviceSide>(
        *placed_, actors_, *storage_,
        placed_->device->make_queue(0, placed_->checked->model().name).value_or_throw(),
        static_cast<Scheduler&>(*this), recorder_ ? &*recorder_ : nullptr,
        options_.measure || recorder_.has_value());
  }
  unfinished_.store(actors_.size());
}

Execution::~Execution() {
  request_stop();
  timer_.reset();
  if (workers_) {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [&] { return over_; });
  }
  workers_.reset();
}

void Execution::begin() {
  begun_ = Clock::now();
  if (options_.stop.stop_possible()) {
    stop_callback_.emplace(options_.stop, std::function<void()>([this] { request_stop(); }));
  }
  if (options_.on_progress) {
    timer_ = std::make_unique<executor::Timer>(
        options_.progress_interval, [this] { options_.on_progress(progress()); },
        [this](const std::exception_ptr& cause) {
          fail(ErrorKind::actor_failed, relation::none, 0, "on_progress threw: " + describe(cause),
               cause);
        });
  }
}

void Execution::start() {
  begin();
  const auto self = worker_count_;
  hold();  // so that the run isn't over before all have been asked
  workers_ =
      std::make_unique<executor::Workers>(static_cast<executor::Work&>(*this), worker_count_);
  for (ActorId a = 0; a < actors_.size(); ++a) ask(a, self);
  submit_if_asked(self);
  hand_out(self);
  // This thread does not wait for the device: a worker has to.
  if (device_ && device_->unattended()) workers_->nudge();
  release();
}

void Execution::run_here() {
  begin();
  const auto self = worker_count_;
  auto& me = workers_state_[self];
  // Consumers first: a message is used before the next one is made.
  const auto later = [this](ActorId a, ActorId b) {
    return placed_->actors[a].rank > placed_->actors[b].rank;
  };
  std::priority_queue<ActorId, std::vector<ActorId>, decltype(later)> ready(later);
  hold();
  for (ActorId a = 0; a < actors_.size(); ++a) ask(a, self);
  bool seeded = false;
  while (!over()) {
    submit_if_asked(self);
    while (device_ && device_->in_flight()) device_->wait(self, wait_at_most);
    if (me.device_asked) continue;
    for (const auto a : me.ready) {
      actors_[a].activity.begin();
      ready.push(a);
    }
    me.ready.clear();
    if (!std::exchange(seeded, true)) release();
    if (ready.empty()) continue;
    const auto a = ready.top();
    ready.pop();
    auto& state = actors_[a];
    const auto readiness = stopping() ? Readiness::waiting : actors_.readiness(a);
    if (readiness == Readiness::ready) {
      fire(a, self);
      ready.push(a);
    } else if (readiness == Readiness::waiting) {
      if (state.activity.rest()) {
        release();
      } else {
        ready.push(a);
      }
    } else {
      if (readiness == Readiness::ended) end_stream(a, self);
      state.activity.retire();
      retire(a);
      release();
    }
  }
}

void Execution::run(executor::Task actor, unsigned worker) noexcept {
  auto& me = workers_state_[worker];
  ActorId a = actor;
  for (;;) {
    actors_[a].activity.begin();
    look_after(a, worker);
    if (me.ready.empty()) return;
    a = me.ready.back();
    me.ready.pop_back();
    hand_out(worker);
  }
}

// Fires the actor as often as it may. What became ready by its last firing is left in the worker's
// list, for the worker to go on with.
void Execution::look_after(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  for (;;) {
    switch (stopping() ? Readiness::waiting : actors_.readiness(a)) {
      case Readiness::ready:
        hand_out(worker);
        attend_device(worker);
        fire(a, worker);
        submit_if_asked(worker);
        break;
      case Readiness::waiting:
        if (!state.activity.rest()) break;
        release();
        return;
      case Readiness::ended:
        end_stream(a, worker);
        submit_if_asked(worker);
        [[fallthrough]];
      case Readiness::finished:
        state.activity.retire();
        retire(a);
        release();
        return;
    }
  }
}

void Execution::end_stream(ActorId a, unsigned worker) noexcept {
  actors_.close(a, actors_[a].next);
  ask_neighbours(a, worker);
}

// One firing, and those who wait for it are asked.
void Execution::fire(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  auto& body = bodies_[a];
  const auto& actor = placed_->actors[a];
  const auto n = state.next;
  for (std::size_t p = 0; p < actor.ports.size(); ++p) {
    const auto& port = actor.ports[p];
    const auto messages = static_cast<std::size_t>(port.rate.at(n));
    body.windows[p] = {storage_->at(port.ring, body.slots[p]),
                       messages * placed_->rings[port.ring].type.size, messages};
  }
  const bool timed = options_.measure || recorder_;
  const auto begin_ns = timed ? now_ns() : 0;
  auto flow = Flow::more;
  try {
    flow = body.function(Firing(n, body.windows));
  } catch (...) {
    const auto cause = std::current_exception();
    fail(ErrorKind::actor_failed, a, n, describe(cause), cause);
    return;
  }
  if (timed) {
    const auto end_ns = now_ns();
    state.busy_ns += end_ns - begin_ns;
    if (recorder_) recorder_->add(worker, {a, n, begin_ns, end_ns});
  }
  if (flow == Flow::done) {
    state.target = n;  // it has nothing left to do
    end_stream(a, worker);
    return;
  }
  for (std::size_t p = 0; p < actor.ports.size(); ++p) {
    auto& slot = body.slots[p];
    slot += static_cast<std::int64_t>(body.windows[p].messages);
    const auto slots = placed_->rings[actor.ports[p].ring].layout.slots;
    if (slot >= slots) slot -= slots;
  }
  actors_.advance(a);
  state.ended.publish(state.next);
  ask_neighbours(a, worker);
}

void Execution::ask_neighbours(ActorId a, unsigned worker) noexcept {
  for (const auto b : actors_.neighbours(a)) ask(b, worker);
}

void Execution::ask(ActorId actor, unsigned worker) noexcept {
  auto& me = workers_state_[worker];
  if (actors_.on_gpu(actor)) {
    device_->ask(actor);
    me.device_asked = true;
  } else if (actors_[actor].activity.ask()) {
    hold();
    me.ready.push_back(actor);
  }
}

void Execution::submit_if_asked(unsigned worker) noexcept {
  if (std::exchange(workers_state_[worker].device_asked, false)) device_->submit(worker);
}

// Gives what this worker made ready to whoever is free.
void Execution::hand_out(unsigned worker) noexcept {
  auto& ready = workers_state_[worker].ready;
  while (!ready.empty()) {
    workers_->post(ready.back());
    ready.pop_back();
  }
}

// Before a function that may take long: somebody should see when the device is done.
void Execution::attend_device(unsigned worker) noexcept {
  if (!device_ || !device_->unattended()) return;
  if (workers_->any_asleep()) {
    workers_->nudge();
  } else {
    device_->wait(worker, std::chrono::nanoseconds(0));
    hand_out(worker);
  }
}

bool Execution::take_role(unsigned worker) noexcept {
  if (!device_ || !device_->wait(worker, wait_at_most)) return false;
  auto& me = workers_state_[worker];
  submit_if_asked(worker);
  if (me.ready.empty()) return true;
  const auto a = me.ready.back();
  me.ready.pop_back();
  hand_out(worker);
  run(a, worker);
  return true;
}

void Execution::retire(ActorId actor) noexcept {
  actors_[actor].done = true;
  unfinished_.fetch_sub(1, std::memory_order_acq_rel);
}

void Execution::release() noexcept {
  if (holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // Nobody looks after anything and nothing is in flight, so nothing will ever change again.
  if (unfinished_.load(std::memory_order_acquire) != 0 && !stopping()) {
    for (ActorId a = 0; a < actors_.size(); ++a) {
      if (actors_[a].done) continue;
      fail(ErrorKind::internal, a, actors_[a].next, "can't go on, though the check said it could",
           nullptr);
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  if (over_) return;
  over_ = true;
  ended_ = Clock::now();
  condition_.notify_all();
}

void Execution::fail(ErrorKind kind, ActorId actor, std::int64_t firing, const std::string& message,
                     std::exception_ptr cause) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
      failure_ = FirstFailure{kind, actor == relation::none ? "" : placed_->actors[actor].name,
                              firing, message, std::move(cause)};
    }
  }
  request_stop();
}

bool Execution::over() const noexcept {
  const std::lock_guard lock(mutex_);
  return over_;
}

RunReport Execution::wait() {
  {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [&] { return over_; });
  }
  finish();
  if (failure_) {
    throw RunFailed(failure_->kind, failure_->actor, failure_->firing, failure_->message,
                    failure_->cause);
  }
  return report();
}

void Execution::finish() {
  workers_.reset();
  timer_.reset();
  stop_callback_.reset();
  if (device_) {
    const auto messages = placed_->device->validation_messages();
    if (messages.size() > messages_before_) {
      fail(ErrorKind::internal, relation::none, 0,
           "Vulkan validation: " + messages[messages_before_], nullptr);
    }
  }
  if (!recorder_) return;
  std::vector<trace::Lane> lanes;
  for (const auto& actor : placed_->actors) lanes.push_back({actor.name, actor.side == Side::gpu});
  const auto origin =
      std::chrono::duration_cast<std::chrono::nanoseconds>(begun_.time_since_epoch()).count();
  const auto written =
      recorder_->write(options_.trace, lanes, placed_->checked->model().name, origin);
  recorder_.reset();
  if (!written && !failure_) written.throw_on_failure();
}

Progress Execution::progress() const {
  Progress progress;
  progress.elapsed = Clock::now() - begun_;
  progress.firings.reserve(placed_->graph_actors);
  for (ActorId a = 0; a < placed_->graph_actors; ++a) {
    progress.firings.push_back(actors_[a].ended.value());
  }
  return progress;
}

RunReport Execution::report() const {
  RunReport result;
  result.elapsed = ended_ - begun_;
  bool any_closed = false;
  for (ActorId a = 0; a < actors_.size(); ++a) {
    const auto& state = actors_[a];
    any_closed = any_closed || state.last.load() != open_ended;
    if (a >= placed_->graph_actors) continue;
    result.actors.push_back({placed_->actors[a].name, placed_->actors[a].side, state.ended.value(),
                             std::chrono::nanoseconds(state.busy_ns)});
  }
  result.outcome = unfinished_.load() != 0 ? Outcome::stopped
                   : any_closed            ? Outcome::ended
                                           : Outcome::completed;
  if (result.outcome != Outcome::ended) return result;
  std::vector<std::int64_t> left(placed_->rings.size(), 0);
  const auto& r = placed_->relation;
  for (const auto& w : r.waits) {
    if (w.kind != relation::WaitKind::data) continue;
    const auto messages = w.offset + r.gain(w).total(actors_[w.source].ended.value()) -
                          r.need(w).total(actors_[w.waiter].ended.value());
    left[w.channel] = std::max(left[w.channel], messages);
  }
  for (std::size_t c = 0; c < left.size(); ++c) {
    if (left[c] > 0) result.leftovers.push_back({placed_->rings[c].channel, left[c]});
  }
  return result;
}

}  // namespace antiphon::engine
