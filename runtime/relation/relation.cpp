#include "relation/relation.hpp"

#include "base/int128.hpp"
#include "graph/ends.hpp"
#include "graph/model.hpp"

#include <antiphon/error.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace antiphon::relation {

namespace {

std::int64_t clamped(Int128 value) {
  if (value > INT64_MAX) return INT64_MAX;
  if (value < INT64_MIN) return INT64_MIN;
  return static_cast<std::int64_t>(value);
}

class Builder {
 public:
  Builder(const GraphModel& model, const Ends& ends) : model_(model), ends_(ends) {
    result_.timelines.reserve(model.actors.size());
    result_.waits.reserve(2 * model.channels.size() + model.actors.size());
    for (std::uint32_t a = 0; a < model.actors.size(); ++a) {
      const auto& actor = model.actors[a];
      Timeline timeline;
      timeline.concurrency = actor.concurrency;
      // All of an actor's sequences have as many phases as the actor, or are constant.
      const auto consider = [&](const PhaseSequence& s) {
        if (s.is_constant() && s.initial_phases() == 0 && timeline.phases > 1) return;
        timeline.phases = std::max(timeline.phases, s.phases());
        timeline.initial_phases = std::max(timeline.initial_phases, s.initial_phases());
      };
      for (const auto& port : actor.ports) consider(port.rate);
      if (actor.cost) {
        consider(*actor.cost);
        timeline.cost = sequence(*actor.cost);
      }
      result_.timelines.push_back(timeline);
    }
  }

  void add_channel(std::uint32_t index, std::optional<std::int64_t> capacity) {
    const auto& channel = model_.channels[index];
    const auto from = ends_.from(index);
    const auto sent = rate(from, channel.from);
    for (std::uint32_t r = 0; r < channel.to.size(); ++r) {
      const auto to = ends_.to(index, r);
      const auto taken = rate(to, channel.to[r]);
      result_.waits.push_back({WaitKind::data, to.actor, from.actor, taken, sent, channel.initial,
                               index, r, to.port, from.port});
      if (capacity) {
        result_.waits.push_back({WaitKind::space, from.actor, to.actor, sent, taken,
                                 *capacity - channel.initial, index, r, from.port, to.port});
      }
    }
  }

  void add_self_waits() {
    const auto one = sequence(PhaseSequence{1});
    for (TimelineId a = 0; a < result_.timelines.size(); ++a) {
      const auto k = result_.timelines[a].concurrency;
      if (k > 0) result_.waits.push_back({WaitKind::self, a, a, one, one, k, none, 0, 0, 0});
    }
  }

  Relation take() {
    result_.index();
    return std::move(result_);
  }

 private:
  SequenceId sequence(const PhaseSequence& s) {
    // Constant rates are by far the most common: keep one of each.
    if (s.initial_phases() == 0 && s.phases() == 1) {
      const auto [at, fresh] =
          constants_.emplace(s.sum(), static_cast<SequenceId>(result_.sequences.size()));
      if (fresh) result_.sequences.push_back(s);
      return at->second;
    }
    result_.sequences.push_back(s);
    return static_cast<SequenceId>(result_.sequences.size() - 1);
  }

  SequenceId rate(const Ends::End& end, const Endpoint& name) {
    if (end.actor == Ends::none || end.port == Ends::none) {
      throw Error(ErrorKind::misuse, "no port '" + name.actor + "." + name.port + "'");
    }
    return sequence(model_.actors[end.actor].ports[end.port].rate);
  }

  const GraphModel& model_;
  const Ends& ends_;
  std::map<std::int64_t, SequenceId> constants_;
  Relation result_;
};

}  // namespace

std::optional<std::int64_t> Relation::timepoint(const Wait& w, std::int64_t n) const {
  const auto amount = clamped(Int128{need(w).total(n + 1)} - w.offset);
  return gain(w).least_reaching(amount);
}

std::optional<std::int64_t> Relation::allowed(const Wait& w, std::int64_t t) const {
  const auto amount = clamped(Int128{gain(w).total(t)} + w.offset);
  if (amount < 0) return 0;
  return need(w).most_within(amount);
}

WaitIndex::WaitIndex(const std::vector<Wait>& waits, std::size_t timelines, TimelineId Wait::*of)
    : first_(timelines + 1, 0), waits_(waits.size()) {
  for (const auto& w : waits) ++first_[w.*of + 1];
  for (std::size_t t = 0; t < timelines; ++t) first_[t + 1] += first_[t];
  auto next = first_;
  for (std::uint32_t i = 0; i < waits.size(); ++i) waits_[next[waits[i].*of]++] = i;
}

void Relation::index() {
  waits_of = WaitIndex(waits, timelines.size(), &Wait::waiter);
  waits_upon = WaitIndex(waits, timelines.size(), &Wait::source);
}

Relation build(const GraphModel& model, const std::vector<std::int64_t>* capacities) {
  return build(model, Ends(model), capacities);
}

Relation build(const GraphModel& model, const Ends& ends,
               const std::vector<std::int64_t>* capacities) {
  Builder builder(model, ends);
  for (std::uint32_t c = 0; c < model.channels.size(); ++c) {
    auto capacity = model.channels[c].capacity;
    if (capacities != nullptr) {
      capacity = (*capacities)[c] > 0 ? std::optional((*capacities)[c]) : std::nullopt;
    }
    builder.add_channel(c, capacity);
  }
  builder.add_self_waits();
  return builder.take();
}

}  // namespace antiphon::relation
