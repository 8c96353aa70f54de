#include "engine/cpu_side.hpp"

#include "base/describe_exception.hpp"
#include "sync/steady_ns.hpp"

#include <antiphon/runtime.hpp>

#include <algorithm>
#include <exception>

namespace antiphon::engine {

namespace {

// A firing that takes no longer is followed by others before anybody is told of it: telling costs
// more than it does.
constexpr std::int64_t quick_ns = 200;
// So many firings between two looks at the clock: if they turn out to take long, that is how many
// hold up the neighbours, who may sleep meanwhile.
constexpr std::int64_t firings_unseen = 32;
// After so long they are told: about what it takes to wake them.
constexpr std::int64_t most_untold_ns = 10'000;
// What a worker has made ready is given to others, unless it will come to it itself sooner than
// they would have it.
constexpr std::int64_t worth_handing_out_ns = 1'000;

}  // namespace

CpuSide::CpuSide(const plan::Placed& placed, Actors& actors, const Storage& storage,
                 Scheduler& scheduler, trace::Recorder* recorder, bool measure, unsigned workers)
    : actors_(actors),
      placed_(placed),
      storage_(storage),
      scheduler_(scheduler),
      recorder_(recorder),
      measure_(measure || recorder != nullptr),
      bodies_(placed.actors.size()),
      presences_(workers + 1) {
  for (std::size_t a = 0; a < placed.actors.size(); ++a) {
    const auto& actor = placed.actors[a];
    if (actor.side == Side::gpu) continue;
    auto& body = bodies_[a];
    // More at once than there are workers can't be.
    const auto lanes =
        actor.concurrency == 0
            ? workers
            : static_cast<unsigned>(std::min<std::int64_t>(workers, actor.concurrency));
    body.lanes.resize(std::max(1U, lanes));
    for (auto& lane : body.lanes) {
      try {
        lane.function = actor.function.start();
      } catch (...) {
        const auto cause = std::current_exception();
        throw RunFailed(ErrorKind::actor_failed, actor.name, 0,
                        "its function could not be copied: " + describe_exception(cause), cause);
      }
      lane.windows.resize(actor.ports.size());
    }
    for (std::size_t p = 0; p < actor.ports.size(); ++p) {
      const auto& port = actor.ports[p];
      const auto& ring = placed.rings[port.ring];
      Port& mine = body.ports.emplace_back();
      mine.rate = &port.rate;
      mine.layout = &ring.layout;
      mine.ring = port.ring;
      mine.message_bytes = ring.type.size;
      mine.slot = port.start;
      const auto messages = static_cast<std::size_t>(port.rate.at(0));
      for (auto& lane : body.lanes) {
        lane.windows[p] = {nullptr, messages * mine.message_bytes, messages};
      }
      if (port.rate.is_constant() && ring.layout.offsets.empty() && ring.layout.bytes > 0) {
        mine.begin = storage.at(port.ring, 0);
        mine.end = mine.begin + static_cast<std::size_t>(ring.layout.slots) * ring.layout.stride;
        mine.at = mine.begin + static_cast<std::size_t>(port.start) * ring.layout.stride;
        mine.step = messages * ring.layout.stride;
      }
    }
    if (body.lanes.size() == 1) continue;
    body.shared = std::make_unique<Shared>();
    for (std::uint32_t lane = 0; lane < body.lanes.size(); ++lane) {
      body.shared->free.push_back(lane);
    }
    // Who ends early publishes after those before him: so far apart they may be.
    const auto most_apart = static_cast<std::int64_t>(4 * body.lanes.size());
    body.shared->over.resize(static_cast<std::size_t>(
        actor.concurrency == 0 ? most_apart : std::min(most_apart, actor.concurrency)));
  }
}

CpuSide::~CpuSide() = default;

Readiness CpuSide::readiness(ActorId a) noexcept {
  return scheduler_.stopping() ? Readiness::waiting : actors_.readiness(a);
}

void CpuSide::look_after(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  auto* const shared = bodies_[a].shared.get();
  if (measure_) actors_.end_wait(a);
  for (;;) {
    auto readiness = this->readiness(a);
    if (readiness == Readiness::ready && shared != nullptr) {
      const std::lock_guard lock(shared->mutex);
      const auto apart = state.next - state.ended.value();
      if (shared->free.empty() || apart >= static_cast<std::int64_t>(shared->over.size())) {
        readiness = Readiness::waiting;  // a firing that ends asks
      }
    }
    switch (readiness) {
      case Readiness::ready:
        if (shared != nullptr) {
          begin_one(a, worker);
          return;
        }
        if (bodies_[a].run_ns >= worth_handing_out_ns) scheduler_.before_firing(worker);
        run(a, worker);
        scheduler_.after_firing(worker);
        break;
      case Readiness::waiting:
        // Before the rest: after it somebody else may look after the actor.
        if (measure_) actors_.begin_wait(a);
        if (!state.activity.rest()) {
          actors_.drop_wait(a);
          break;
        }
        scheduler_.release();
        return;
      case Readiness::ended:
      case Readiness::finished:
        retire(a, readiness, worker);
        scheduler_.after_firing(worker);
        scheduler_.release();
        return;
    }
  }
}

CpuSide::Step CpuSide::step(ActorId a, unsigned worker) noexcept {
  const auto readiness = this->readiness(a);
  if (readiness == Readiness::ready) {
    const auto begin_ns = measure_ ? sync::steady_ns() : 0;
    const auto n = actors_[a].next;
    std::int64_t count = 0;
    presences_[worker].enter(a, n);
    const auto fired = fire_several(a, 1, worker, count);
    presences_[worker].leave();
    if (measure_ && fired != Fired::failed) {
      const auto end_ns = sync::steady_ns();
      actors_[a].busy_ns += end_ns - begin_ns;
      if (recorder_ != nullptr) recorder_->add(worker, {a, n, begin_ns, end_ns});
    }
    if (measure_) actors_.note_levels(a);
    if (fired == Fired::published) ask_neighbours(a, worker);
    if (fired == Fired::ended) end_stream(a, worker);
    return Step::fired;
  }
  if (readiness == Readiness::waiting) {
    if (!actors_[a].activity.rest()) return Step::asked_again;
  } else {
    retire(a, readiness, worker);
  }
  scheduler_.release();
  return Step::over;
}

void CpuSide::end_stream(ActorId a, unsigned worker) noexcept {
  actors_.close(a, actors_[a].next);
  ask_neighbours(a, worker);
}

void CpuSide::retire(ActorId a, Readiness why, unsigned worker) noexcept {
  if (why == Readiness::ended) end_stream(a, worker);
  actors_[a].activity.retire();
  scheduler_.retire(a);
}

// The messages of firing `n`, and on to those of the next.
void CpuSide::set_windows(Body& body, Lane& lane, std::int64_t n) const noexcept {
  auto* window = lane.windows.data();
  for (auto& port : body.ports) {
    if (port.end != nullptr) {
      window->data = port.at;
      port.at += port.step;
      if (port.at == port.end) port.at = port.begin;
    } else {
      set_uneven_window(port, *window, n);
    }
    ++window;
  }
}

void CpuSide::set_uneven_window(Port& port, Firing::Window& window, std::int64_t n) const noexcept {
  window.messages = static_cast<std::size_t>(port.rate->at(n));
  window.bytes = window.messages * port.message_bytes;
  window.data = storage_.at(port.ring, port.slot);
  port.slot = port.layout->after(port.slot, static_cast<std::int64_t>(window.messages));
}

// Fires it, and goes on while that takes next to no time and it may; then those who wait for it are
// asked. Its timeline is published with every firing: whoever is awake sees it.
void CpuSide::run(ActorId a, unsigned worker) noexcept {
  auto& body = bodies_[a];
  const auto first = actors_[a].next;
  const bool timed = measure_ || !body.quick || ++body.runs % 16 == 0;
  const bool several = body.quick && recorder_ == nullptr;
  const auto begin_ns = timed ? sync::steady_ns() : 0;
  auto untold_since_ns = begin_ns;
  std::int64_t count = 0;
  auto fired = Fired::published;
  presences_[worker].enter(a, first);
  for (;;) {
    fired = fire_several(a, several ? firings_unseen : 1, worker, count);
    if (fired != Fired::published || !several || readiness(a) != Readiness::ready) break;
    if (count < firings_unseen) continue;
    const auto now_ns = sync::steady_ns();
    if (untold_since_ns == 0) untold_since_ns = now_ns;
    if (now_ns - untold_since_ns > most_untold_ns) break;
  }
  presences_[worker].leave();
  if (fired == Fired::failed) {
    if (count > 0) ask_neighbours(a, worker);
    return;
  }
  if (timed) {
    const auto end_ns = sync::steady_ns();
    const auto took_ns = end_ns - begin_ns;
    body.run_ns = took_ns;
    body.quick = took_ns <= quick_ns * std::max<std::int64_t>(count, 1);
    if (measure_) actors_[a].busy_ns += took_ns;
    if (recorder_ != nullptr) recorder_->add(worker, {a, first, begin_ns, end_ns});
  }
  if (measure_) actors_.note_levels(a);
  if (fired == Fired::ended) {
    end_stream(a, worker);
  } else {
    ask_neighbours(a, worker);
  }
}

// As many firings as what was seen of the neighbours allows, up to `most`; nobody is asked. Adds to
// `count` those that were published. REQUIRES: the actor is ready.
CpuSide::Fired CpuSide::fire_several(ActorId a, std::int64_t most, unsigned worker,
                                     std::int64_t& count) noexcept {
  auto& state = actors_[a];
  if (most > 1) most = std::min(most, actors_.allowed(a));
  auto fired = Fired::published;
  std::int64_t done = 0;
  while (done < most && fired == Fired::published) {
    presences_[worker].go_on(state.next + done);
    fired = fire(a, state.next + done);
    if (fired == Fired::published) ++done;
  }
  actors_.advance(a, done);
  state.ended.publish(state.next);
  count += done;
  if (fired == Fired::ended) state.target = state.next;  // it has nothing left to do
  return fired;
}

// One firing.
CpuSide::Fired CpuSide::fire(ActorId a, std::int64_t n) noexcept {
  auto& body = bodies_[a];
  auto& lane = body.lanes.front();
  set_windows(body, lane, n);
  try {
    return lane.function(Firing(n, lane.windows)) == Flow::done ? Fired::ended : Fired::published;
  } catch (...) {
    const auto cause = std::current_exception();
    scheduler_.fail(ErrorKind::actor_failed, a, n, describe_exception(cause), cause);
    return Fired::failed;
  }
}

// Starts the next firing of an actor that may run several at once, and lets whoever is free look
// for the one after it meanwhile. REQUIRES: it is ready and has a free lane.
void CpuSide::begin_one(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  auto& body = bodies_[a];
  auto& shared = *body.shared;
  std::uint32_t index = 0;
  {
    const std::lock_guard lock(shared.mutex);
    index = shared.free.back();
    shared.free.pop_back();
  }
  auto& lane = body.lanes[index];
  const auto n = state.next;
  set_windows(body, lane, n);
  actors_.advance(a);
  scheduler_.hold();  // for this firing
  while (!state.activity.rest()) {
  }
  scheduler_.ask(a, worker);
  scheduler_.release();  // for who looks after the actor: that may be somebody else now
  scheduler_.before_firing(worker);

  const auto begin_ns = measure_ ? sync::steady_ns() : 0;
  bool failed = false;
  presences_[worker].enter(a, n);
  try {
    if (lane.function(Firing(n, lane.windows)) == Flow::done) {
      failed = true;
      scheduler_.fail(ErrorKind::misuse, a, n,
                      "several of its firings may run at once, so it can't end its stream",
                      nullptr);
    }
  } catch (...) {
    failed = true;
    const auto cause = std::current_exception();
    scheduler_.fail(ErrorKind::actor_failed, a, n, describe_exception(cause), cause);
  }
  presences_[worker].leave();
  if (measure_ && !failed) {
    const auto end_ns = sync::steady_ns();
    {
      const std::lock_guard lock(shared.mutex);
      state.busy_ns += end_ns - begin_ns;
    }
    if (recorder_ != nullptr) recorder_->add(worker, {a, n, begin_ns, end_ns});
  }
  publish(a, n, index, failed);
  ask_neighbours(a, worker);
  scheduler_.ask(a, worker);
  scheduler_.after_firing(worker);
  scheduler_.release();
}

// Firing `n` is over, and so are, for others, all before it that are.
void CpuSide::publish(ActorId a, std::int64_t n, std::uint32_t lane, bool failed) noexcept {
  auto& state = actors_[a];
  auto& shared = *bodies_[a].shared;
  const std::lock_guard lock(shared.mutex);
  shared.free.push_back(lane);
  if (failed) return;
  const auto at = [&](std::int64_t firing) {
    return shared.over[static_cast<std::size_t>(firing) % shared.over.size()];
  };
  at(n) = true;
  auto reached = state.ended.value();
  while (at(reached)) {
    at(reached) = false;
    ++reached;
  }
  state.ended.publish(reached);
  if (measure_) actors_.note_levels(a);
}

void CpuSide::ask_neighbours(ActorId a, unsigned worker) noexcept {
  for (const auto b : actors_.neighbours(a)) scheduler_.ask(b, worker);
}

}  // namespace antiphon::engine
