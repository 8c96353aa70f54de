#include "relation/relation.hpp"

#include "base/int128.hpp"
#include "graph/model.hpp"

#include <antiphon/error.hpp>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
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
  explicit Builder(const GraphModel& model) : model_(model) {
    result_.timelines.reserve(model.actors.size());
    ids_.reserve(model.actors.size());
    for (std::uint32_t a = 0; a < model.actors.size(); ++a) {
      const auto& actor = model.actors[a];
      ids_.emplace(actor.name, a);
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
    const auto [writer, sent] = end(channel.from);
    for (std::uint32_t r = 0; r < channel.to.size(); ++r) {
      const auto [reader, taken] = end(channel.to[r]);
      result_.waits.push_back(
          {WaitKind::data, reader, writer, taken, sent, channel.initial, index, r});
      if (capacity) {
        result_.waits.push_back(
            {WaitKind::space, writer, reader, sent, taken, *capacity - channel.initial, index, r});
      }
    }
  }

  void add_self_waits() {
    const auto one = sequence(PhaseSequence{1});
    for (TimelineId a = 0; a < result_.timelines.size(); ++a) {
      const auto k = result_.timelines[a].concurrency;
      if (k > 0) result_.waits.push_back({WaitKind::self, a, a, one, one, k, none, 0});
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

  std::pair<TimelineId, SequenceId> end(const Endpoint& endpoint) {
    const auto actor = ids_.at(endpoint.actor);
    return {actor, sequence(port(actor, endpoint).rate)};
  }

  const Port& port(TimelineId actor, const Endpoint& endpoint) {
    const auto& ports = model_.actors[actor].ports;
    // Few are found fastest one by one; an actor with very many must not make it quadratic.
    if (ports.size() <= 16) {
      const auto found = std::find_if(ports.begin(), ports.end(),
                                      [&](const Port& p) { return p.name == endpoint.port; });
      if (found != ports.end()) return *found;
    } else {
      auto& by_name = ports_[actor];
      if (by_name.empty()) {
        for (const auto& p : ports) by_name.emplace(p.name, &p);
      }
      if (const auto found = by_name.find(endpoint.port); found != by_name.end()) {
        return *found->second;
      }
    }
    throw Error(ErrorKind::misuse, "no port '" + endpoint.actor + "." + endpoint.port + "'");
  }

  const GraphModel& model_;
  std::unordered_map<std::string_view, TimelineId> ids_;
  std::unordered_map<TimelineId, std::unordered_map<std::string_view, const Port*>> ports_;
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

void Relation::index() {
  waits_of.assign(timelines.size(), {});
  waits_upon.assign(timelines.size(), {});
  std::vector<std::uint32_t> of(timelines.size(), 0);
  std::vector<std::uint32_t> upon(timelines.size(), 0);
  for (const auto& w : waits) {
    ++of[w.waiter];
    ++upon[w.source];
  }
  for (std::size_t t = 0; t < timelines.size(); ++t) {
    waits_of[t].reserve(of[t]);
    waits_upon[t].reserve(upon[t]);
  }
  for (std::uint32_t i = 0; i < waits.size(); ++i) {
    waits_of[waits[i].waiter].push_back(i);
    waits_upon[waits[i].source].push_back(i);
  }
}

Relation build(const GraphModel& model, const std::vector<std::int64_t>* capacities) {
  Builder builder(model);
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
