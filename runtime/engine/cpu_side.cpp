#include "engine/cpu_side.hpp"

#include "base/describe_exception.hpp"
#include "sync/steady_ns.hpp"

#include <antiphon/runtime.hpp>

#include <exception>

namespace antiphon::engine {

CpuSide::CpuSide(const plan::Placed& placed, Actors& actors, const Storage& storage,
                 Scheduler& scheduler, trace::Recorder* recorder, bool measure)
    : placed_(placed),
      actors_(actors),
      storage_(storage),
      scheduler_(scheduler),
      recorder_(recorder),
      timed_(measure || recorder != nullptr),
      bodies_(placed.actors.size()) {
  for (std::size_t a = 0; a < placed.actors.size(); ++a) {
    const auto& actor = placed.actors[a];
    if (actor.side == Side::gpu) continue;
    auto& body = bodies_[a];
    try {
      body.function = actor.function.start();
    } catch (...) {
      const auto cause = std::current_exception();
      throw RunFailed(ErrorKind::actor_failed, actor.name, 0,
                      "its function could not be copied: " + describe_exception(cause), cause);
    }
    body.windows.resize(actor.ports.size());
    for (const auto& port : actor.ports) body.slots.push_back(port.start);
  }
}

void CpuSide::look_after(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  for (;;) {
    switch (scheduler_.stopping() ? Readiness::waiting : actors_.readiness(a)) {
      case Readiness::ready:
        scheduler_.before_firing(worker);
        fire(a, worker);
        scheduler_.after_firing(worker);
        break;
      case Readiness::waiting:
        if (!state.activity.rest()) break;
        scheduler_.release();
        return;
      case Readiness::ended:
        end_stream(a, worker);
        scheduler_.after_firing(worker);
        [[fallthrough]];
      case Readiness::finished:
        state.activity.retire();
        scheduler_.retire(a);
        scheduler_.release();
        return;
    }
  }
}

void CpuSide::end_stream(ActorId a, unsigned worker) noexcept {
  actors_.close(a, actors_[a].next);
  ask_neighbours(a, worker);
}

// One firing, and those who wait for it are asked.
void CpuSide::fire(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  auto& body = bodies_[a];
  const auto& actor = placed_.actors[a];
  const auto n = state.next;
  for (std::size_t p = 0; p < actor.ports.size(); ++p) {
    const auto& port = actor.ports[p];
    const auto messages = static_cast<std::size_t>(port.rate.at(n));
    body.windows[p] = {storage_.at(port.ring, body.slots[p]),
                       messages * placed_.rings[port.ring].type.size, messages};
  }
  const auto begin_ns = timed_ ? sync::steady_ns() : 0;
  auto flow = Flow::more;
  try {
    flow = body.function(Firing(n, body.windows));
  } catch (...) {
    const auto cause = std::current_exception();
    scheduler_.fail(ErrorKind::actor_failed, a, n, describe_exception(cause), cause);
    return;
  }
  if (timed_) {
    const auto end_ns = sync::steady_ns();
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
    const auto slots = placed_.rings[actor.ports[p].ring].layout.slots;
    if (slot >= slots) slot -= slots;
  }
  actors_.advance(a);
  state.ended.publish(state.next);
  ask_neighbours(a, worker);
}

void CpuSide::ask_neighbours(ActorId a, unsigned worker) noexcept {
  for (const auto b : actors_.neighbours(a)) scheduler_.ask(b, worker);
}

CpuSide::Step CpuSide::step(ActorId a, unsigned worker) noexcept {
  auto& state = actors_[a];
  const auto readiness = scheduler_.stopping() ? Readiness::waiting : actors_.readiness(a);
  if (readiness == Readiness::ready) {
    fire(a, worker);
    return Step::fired;
  }
  if (readiness == Readiness::waiting) {
    if (!state.activity.rest()) return Step::asked_again;
  } else {
    if (readiness == Readiness::ended) end_stream(a, worker);
    state.activity.retire();
    scheduler_.retire(a);
  }
  scheduler_.release();
  return Step::over;
}

}  // namespace antiphon::engine
