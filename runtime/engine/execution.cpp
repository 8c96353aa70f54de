#include "engine/execution.hpp"

#include "base/describe_exception.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <thread>
#include <utility>

namespace antiphon::engine {

namespace {

using Clock = std::chrono::steady_clock;

// A worker that waits for the device looks up this often, so that a run never hangs on one that
// lies.
constexpr auto wait_at_most = std::chrono::milliseconds(100);

// Waking a sleeping thread costs some 20 to 40 µs where its core has gone idle: who spins for as
// long as that before it sleeps never pays more than twice what it must (Karlin, Manasse, McGeoch,
// Owicki, 1990). But not where somebody else could use the core: a device that is made of threads,
// or other workers.
constexpr auto spin_alone = std::chrono::microseconds(50);
constexpr auto spin_among_others = std::chrono::microseconds(5);

}  // namespace

Execution::Execution(std::shared_ptr<const plan::Placed> placed, RunOptions options,
                     unsigned workers)
    : placed_(std::move(placed)),
      options_(std::move(options)),
      worker_count_(workers),
      actors_(*placed_, options_.iterations),
      workers_state_(workers + 1) {
  if (options_.iterations && *options_.iterations < 0) {
    throw Error(ErrorKind::misuse, fmt::format("{} iterations can't be run", *options_.iterations));
  }
  if (!options_.trace.empty()) trace::Recorder::writable(options_.trace).throw_on_failure();
  if (placed_->device) messages_before_ = placed_->device->validation_messages().size();
  storage_ = Storage::make(*placed_).value_or_throw();
  if (!options_.trace.empty()) recorder_.emplace(workers + 1);
  const bool measure = options_.measure || recorder_.has_value();
  auto& scheduler = static_cast<Scheduler&>(*this);
  auto* const recorder = recorder_ ? &*recorder_ : nullptr;
  cpu_.emplace(*placed_, actors_, *storage_, scheduler, recorder, measure, workers);
  const auto& all = placed_->actors;
  if (std::any_of(all.begin(), all.end(), [](const auto& a) { return a.side == Side::gpu; })) {
    device_ = std::make_unique<DeviceSide>(
        *placed_, actors_, *storage_,
        placed_->device->make_queue(0, placed_->checked->model().name).value_or_throw(), scheduler,
        recorder, measure);
  }
  unfinished_.store(actors_.size());
}

Execution::~Execution() {
  end();
  watch_timer_.reset();
  timer_.reset();
  workers_.reset();
}

void Execution::end() noexcept {
  request_stop();
  if (!workers_) return;
  std::unique_lock lock(mutex_);
  condition_.wait(lock, [&] { return over_; });
}

void Execution::retire_whole(std::unique_ptr<Execution> execution) noexcept {
  if (!execution) return;
  execution->end();
  if (!execution->abandoned_.load(std::memory_order_acquire)) return;
  execution->watch_timer_.reset();
  execution->timer_.reset();
  // Reachable, so that nobody takes it for a leak.
  static std::mutex mutex;
  static auto& abandoned = *new std::vector<std::unique_ptr<Execution>>;
  const std::lock_guard lock(mutex);
  abandoned.push_back(std::move(execution));
}

void Execution::begin() {
  begun_ = Clock::now();
  if (options_.stop.stop_possible()) {
    stop_callback_.emplace(options_.stop, std::function<void()>([this] { request_stop(); }));
  }
  if (options_.patience.count() > 0) {
    watchdog_.emplace(cpu_->presences().size() + 1, options_.patience);
    watch_timer_ = std::make_unique<executor::Timer>(
        options_.patience / 8, [this] { watch(); }, [](const std::exception_ptr&) {});
  }
  if (options_.on_progress) {
    timer_ = std::make_unique<executor::Timer>(
        options_.progress_interval, [this] { options_.on_progress(progress()); },
        [this](const std::exception_ptr& cause) {
          fail(ErrorKind::actor_failed, relation::none, 0,
               "on_progress threw: " + describe_exception(cause), cause);
        });
  }
}

// An actor that says it may block may wait as long as the world outside likes, until the run is to
// stop.
void Execution::watch() noexcept {
  const auto now = Watchdog::Clock::now();
  const auto& presences = cpu_->presences();
  for (std::size_t place = 0; place < presences.size(); ++place) {
    const auto seen = presences[place].look();
    std::optional<Started> started;
    if (seen.step % 2 == 1 && (stopping() || !placed_->actors[seen.actor].blocking)) {
      started = Started{seen.step, seen.actor, seen.firing};
    }
    if (watchdog_->too_long(place, started, now)) return abandon(*started);
  }
  if (!device_) return;
  const auto oldest = device_->oldest();
  if (watchdog_->too_long(presences.size(), oldest, now)) {
    placed_->device->abandon();
    abandon(*oldest);
  }
}

void Execution::abandon(const Started& started) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    abandoned_.store(true, std::memory_order_release);
  }
  std::vector<std::string> waiting;
  for (const auto a : actors_.neighbours(started.actor)) {
    waiting.push_back("'" + placed_->actors[a].name + "'");
  }
  fail(ErrorKind::hung, started.actor, started.firing,
       fmt::format(
           "it has not ended for {} ms{}",
           std::chrono::duration_cast<std::chrono::milliseconds>(options_.patience).count(),
           waiting.empty() ? "" : fmt::format("; {} may wait for it", fmt::join(waiting, ", "))),
       nullptr);
  const std::lock_guard lock(mutex_);
  over_ = true;
  ended_ = Clock::now();
  condition_.notify_all();
}

void Execution::start() {
  begin();
  const auto self = worker_count_;
  hold();  // so that the run isn't over before all have been asked
  const bool alone = !device_ && worker_count_ <= std::thread::hardware_concurrency();
  workers_ = std::make_unique<executor::Workers>(static_cast<executor::Work&>(*this), worker_count_,
                                                 alone ? spin_alone : spin_among_others);
  for (ActorId a = 0; a < actors_.size(); ++a) ask(a, self);
  after_firing(self);
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
    after_firing(self);
    while (device_ && device_->in_flight() && !over()) device_->wait(self, wait_at_most);
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
    if (cpu_->step(a, self) != CpuSide::Step::over) ready.push(a);
  }
}

void Execution::run(executor::Task actor, unsigned worker) noexcept {
  auto& me = workers_state_[worker];
  ActorId a = actor;
  for (;;) {
    actors_[a].activity.begin();
    cpu_->look_after(a, worker);
    if (me.ready.empty()) return;
    // The rest stays here until something takes long enough to be worth handing it out.
    a = me.ready.back();
    me.ready.pop_back();
  }
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

void Execution::after_firing(unsigned worker) noexcept {
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

void Execution::before_firing(unsigned worker) noexcept {
  hand_out(worker);
  if (!device_ || !device_->unattended()) return;
  if (workers_->any_asleep()) {
    workers_->nudge();
  } else {
    device_->wait(worker, std::chrono::nanoseconds(0));
    hand_out(worker);
  }
}

bool Execution::take_role(unsigned worker) noexcept {
  if (!device_ || abandoned_.load(std::memory_order_acquire)) return false;
  if (!device_->wait(worker, wait_at_most)) return false;
  auto& me = workers_state_[worker];
  after_firing(worker);
  if (me.ready.empty()) return true;
  const auto a = me.ready.back();
  me.ready.pop_back();
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
  if (failure_ && failure_->kind == ErrorKind::hung) {
    throw Hung(failure_->kind, failure_->actor, failure_->firing, failure_->message, nullptr);
  }
  if (failure_) {
    throw RunFailed(failure_->kind, failure_->actor, failure_->firing, failure_->message,
                    failure_->cause);
  }
  return report();
}

void Execution::finish() {
  // Before anything else: nothing may turn out to hang while it is being taken down.
  watch_timer_.reset();
  if (abandoned_.load(std::memory_order_acquire)) {
    timer_.reset();
    return;
  }
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

std::vector<ChannelStats> Execution::channel_stats() const {
  std::vector<ChannelStats> result;
  for (std::size_t c = 0; c < placed_->checked->model().channels.size(); ++c) {
    const auto& ring = placed_->rings[c];
    result.push_back({ring.channel, ring.capacity, 0, 0, actors_.high_water(c)});
  }
  const auto& r = placed_->relation;
  for (const auto& w : r.waits) {
    if (w.kind != relation::WaitKind::data || w.channel >= result.size()) continue;
    auto& channel = result[w.channel];
    channel.messages = r.gain(w).total(actors_[w.source].ended.value());
    channel.bytes =
        static_cast<std::uint64_t>(channel.messages) * placed_->rings[w.channel].type.size;
  }
  return result;
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
                             std::chrono::nanoseconds(state.busy_ns),
                             std::chrono::nanoseconds(state.waited_for_data_ns),
                             std::chrono::nanoseconds(state.waited_for_space_ns)});
  }
  result.channels = channel_stats();
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
