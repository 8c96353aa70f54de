#include "check/requirements.hpp"

#include "base/int128.hpp"
#include "base/quantities.hpp"
#include "base/rational.hpp"
#include "check/findings.hpp"
#include "check/latency.hpp"
#include "check/names.hpp"
#include "check/rules.hpp"
#include "check/size_goals.hpp"
#include "check/size_search.hpp"
#include "check/throughput.hpp"
#include "graph/similar_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::TimelineId;
using relation::WaitKind;

double value_of(const Rational& r) {
  return r.value();
}

class Requirement {
 public:
  Requirement(const Subject& subject, std::int64_t budget, std::vector<Diagnostic>& diagnostics)
      : subject_(subject),
        model_(subject.model),
        nanoseconds_(subject.model.semantics == Semantics::antiphon),
        budget_(budget),
        diagnostics_(diagnostics) {}

  void check(const ThroughputRequirement& required) {
    std::optional<TimelineId> of;
    if (!required.actor.empty()) {
      of = actor(required.actor, required.place);
      if (!of) return;
    }
    const auto firings =
        of ? subject_.repetitions[*of] * subject_.relation.timelines[*of].phases : 1;
    // The longest that an iteration may take.
    const auto longest =
        quotient(Int128{firings} * required.least.denominator(), required.least.numerator());
    const auto found = throughput(subject_.relation, subject_.repetitions,
                                  {.timed = {}, .budget = budget_, .of = of});
    if (!longest || found.state != Throughput::State::exact) return not_decided(required.place);
    if (!(*longest < found.period)) return;
    const auto rate = [&](const Rational& period) {
      return rate_text(value_of(period) / static_cast<double>(firings), nanoseconds_);
    };
    auto d = finding(rule::too_slow,
                     of ? fmt::format("'{}' fires at {} at best, and has to at {}", required.actor,
                                      rate(found.period), rate(*longest))
                        : fmt::format("an iteration comes at {} at best, and has to at {}",
                                      rate(found.period), rate(*longest)));
    d.marks.push_back({required.place, "throughput", fmt::format("requires {}", rate(*longest))});
    d.notes.push_back(limit(found.cycle));
    const auto changes = larger_channels(*longest, of);
    if (changes) {
      propose(
          *changes,
          [&](const relation::Relation& with) {
            return rate(throughput(with, subject_.repetitions,
                                   {.timed = {}, .budget = budget_, .cycle = false, .of = of})
                            .period);
          },
          d);
    } else if (const auto text = overlap(*longest, of); !text.empty()) {
      d.help = text;
    } else {
      d.help =
          "take less time around there: no capacities make up for it, and neither does "
          "letting one of these actors overlap itself";
    }
    diagnostics_.push_back(std::move(d));
  }

  void check(const LatencyRequirement& required) {
    const auto source = actor(required.source, required.place);
    const auto sink = actor(required.sink, required.place);
    if (!source || !sink) return;
    const auto path = fmt::format("{} -> {}", required.source, required.sink);
    if (first_reached(subject_.relation, *source, 0)[*sink] < 0) {
      auto d = finding(rule::too_late, fmt::format("nothing that '{}' sends reaches '{}'",
                                                   required.source, required.sink));
      d.marks.push_back({required.place, path, "requires a latency"});
      d.help = "name two actors between which messages go";
      diagnostics_.push_back(std::move(d));
      return;
    }
    const auto found =
        latency(subject_.relation, subject_.repetitions, *source, *sink, required.every, budget_);
    using State = LatencyFound::State;
    if (found.state == State::undecided || found.state == State::too_large) {
      return not_decided(required.place);
    }
    const Rational most(required.most);
    const auto longest = std::max(found.first, found.steady);
    const bool infinite = found.state == State::infinite;
    if (!infinite && !(most < longest)) return;
    const auto time = [&](const Rational& t) { return time_text(value_of(t), nanoseconds_); };
    auto d = finding(
        rule::too_late,
        infinite ? fmt::format("messages from '{}' to '{}' pile up without end", required.source,
                               required.sink)
                 : fmt::format("a message from '{}' to '{}' takes up to {}, and may take {}",
                               required.source, required.sink, time(longest), time(most)));
    d.marks.push_back({required.place, path, fmt::format("requires {}", time(most))});
    if (infinite) {
      d.notes.push_back(fmt::format("one comes every {}, and one every {} is all that is taken",
                                    time(found.step), time(found.least_step)));
    } else {
      d.notes.push_back(fmt::format("the first takes {}, later ones up to {}, one every {}",
                                    time(found.first), time(found.steady), time(found.step)));
    }
    help_latency(required, *source, *sink, found, most, d);
    diagnostics_.push_back(std::move(d));
  }

  void check(const MemoryRequirement& required) {
    const auto bytes = message_weights(model_, subject_.relation);
    Int128 sum = 0;
    std::vector<std::pair<Int128, std::size_t>> largest;
    for (std::size_t c = 0; c < bytes.size(); ++c) {
      const auto size = Int128{bytes[c]} * subject_.capacities[c];
      sum += size;
      largest.emplace_back(-size, c);
      if (subject_.capacities[c] > 0) continue;
      auto d = finding(rule::too_much_memory,
                       fmt::format("'{}' holds any number of messages, and memory is limited",
                                   display_name(model_.channels[c])));
      d.marks.push_back({required.place, "memory", "requires a limit"});
      d.help = "give each channel a capacity";
      diagnostics_.push_back(std::move(d));
      return;
    }
    if (sum <= required.most) return;
    const auto text = [](Int128 size) {
      return bytes_text(static_cast<std::int64_t>(std::min<Int128>(size, INT64_MAX)));
    };
    auto d = finding(rule::too_much_memory, fmt::format("the channels hold {}, and may hold {}",
                                                        text(sum), text(required.most)));
    d.marks.push_back(
        {required.place, "memory", fmt::format("requires at most {}", text(required.most))});
    std::sort(largest.begin(), largest.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(3, largest.size()); ++i) {
      const auto c = largest[i].second;
      d.notes.push_back(fmt::format("'{}' holds {} of {}: {}", display_name(model_.channels[c]),
                                    counted(subject_.capacities[c], "message"), text(bytes[c]),
                                    text(-largest[i].first)));
    }
    help_memory(required, bytes, d);
    diagnostics_.push_back(std::move(d));
  }

 private:
  static std::optional<Rational> quotient(Int128 over, Int128 under) {
    const auto common = gcd(over, under);
    if (over / common > INT64_MAX / 4 || under / common > INT64_MAX / 4) return std::nullopt;
    return Rational(static_cast<std::int64_t>(over / common),
                    static_cast<std::int64_t>(under / common));
  }

  std::optional<TimelineId> actor(const std::string& name, const Place& place) {
    for (TimelineId a = 0; a < model_.actors.size(); ++a) {
      if (model_.actors[a].name == name) return a;
    }
    auto d = finding(rule::unknown_actor,
                     fmt::format("a requirement names the actor '{}', and there is none", name));
    d.marks.push_back({place, name, "required here"});
    std::vector<std::string> names;
    for (const auto& a : model_.actors) names.push_back(a.name);
    d.help = nearest_names(name, names);
    diagnostics_.push_back(std::move(d));
    return std::nullopt;
  }

  void not_decided(const Place& place) {
    auto d = finding(rule::undecided, "whether a requirement is met is not decided");
    d.marks.push_back({place, "graph " + model_.name, "required here"});
    d.help = "raise the budget, or choose rates that share more factors: iterations become shorter";
    diagnostics_.push_back(std::move(d));
  }

  // Who waits for whom around, in a sentence.
  std::string limit(const CriticalCycle& cycle) const {
    std::vector<std::string> actors;
    std::vector<std::string> rooms;
    bool itself = false;
    for (const auto& firing : cycle.firings) {
      const auto& name = model_.actors[firing.timeline].name;
      if (std::find(actors.begin(), actors.end(), name) == actors.end()) actors.push_back(name);
      if (firing.wait == relation::none ||
          subject_.relation.waits[firing.wait].kind == WaitKind::self) {
        itself = true;
        continue;
      }
      const auto& wait = subject_.relation.waits[firing.wait];
      if (wait.kind != WaitKind::space) continue;
      const auto channel = display_name(model_.channels[wait.channel]);
      if (std::find(rooms.begin(), rooms.end(), channel) == rooms.end()) rooms.push_back(channel);
    }
    if (actors.empty()) return "what limits it was not found";
    if (actors.size() == 1 && itself && rooms.empty()) {
      return fmt::format("'{}' is busy all the time: its firings follow each other", actors[0]);
    }
    auto text = fmt::format("around {} each waits for the next", quoted_list(actors));
    if (!rooms.empty()) text += ", for room in " + quoted_list(rooms);
    return text;
  }

  // Channels whose capacity the graph gives, larger, so that an iteration takes no longer.
  std::optional<std::vector<std::int64_t>> larger_channels(const Rational& period,
                                                           std::optional<TimelineId> of) const {
    if (!nanoseconds_) return std::nullopt;
    constexpr std::int64_t most_steps = 200'000'000;
    SizeSubject sized(model_, subject_.repetitions, std::min(budget_, most_steps));
    auto problem = sized.problem();
    problem.weight = message_weights(model_, subject_.relation);
    problem.channels.clear();
    problem.fixed = subject_.capacities;
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      problem.least[c] = subject_.capacities[c];
      problem.channels.push_back(c);
    }
    IsAsFast goal(sized, period, IsAsFast::Than::at_most, of);
    SizeCuts cuts;
    const auto found = search_sizes(
        problem, goal, [&] { return sized.may_go_on(); }, cuts);
    if (found.capacities.empty()) return std::nullopt;
    return found.capacities;
  }

  template <typename Measure>
  void propose(const std::vector<std::int64_t>& capacities, const Measure& measure,
               Diagnostic& d) const {
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < capacities.size(); ++c) {
      const auto from = subject_.capacities[c];
      if (capacities[c] == from) continue;
      const auto& channel = model_.channels[c];
      d.repairs.push_back({Repair::Of::capacity, display_name(channel), from, capacities[c],
                           channel.capacity_place});
      parts.push_back(
          fmt::format("'{}' from {} to {}", display_name(channel), from, capacities[c]));
    }
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(parts.size(), most); ++i) {
      list += (i == 0 ? "" : i + 1 == parts.size() ? " and of " : ", of ") + parts[i];
    }
    if (parts.size() > most) list += fmt::format(" and of {} more", parts.size() - most);
    const auto with = relation::build(model_, &capacities);
    d.help = fmt::format("change the capacity of {}; then it is {}", list, measure(with));
  }

  // How far one actor that waits for itself would have to overlap itself.
  std::string overlap(const Rational& period, std::optional<TimelineId> of) const {
    auto trial = subject_.relation;
    constexpr int most_trials = 64;
    std::vector<TimelineId> raised;
    for (int i = 0; i < most_trials; ++i) {
      const auto found = throughput(trial, subject_.repetitions,
                                    {.timed = {}, .budget = budget_ / most_trials, .of = of});
      if (found.state != Throughput::State::exact) return {};
      if (!(period < found.period)) break;
      bool any = false;
      for (const auto& firing : found.cycle.firings) {
        const bool itself =
            firing.wait == relation::none || trial.waits[firing.wait].kind == WaitKind::self;
        const auto t = firing.timeline;
        if (!itself || trial.timelines[t].concurrency == 0) continue;
        any = true;
        ++trial.timelines[t].concurrency;
        for (auto& w : trial.waits) {
          if (w.kind == WaitKind::self && w.waiter == t) ++w.offset;
        }
        if (std::find(raised.begin(), raised.end(), t) == raised.end()) raised.push_back(t);
        break;
      }
      if (!any) return {};
      if (i + 1 == most_trials) return {};
    }
    std::vector<std::string> parts;
    for (const auto t : raised) {
      parts.push_back(fmt::format("'{}' concurrency: {}", model_.actors[t].name,
                                  trial.timelines[t].concurrency));
    }
    if (parts.empty()) return {};
    const auto found = throughput(trial, subject_.repetitions,
                                  {.timed = {}, .budget = budget_, .cycle = false, .of = of});
    std::int64_t firings = 1;
    if (of) firings = subject_.repetitions[*of] * subject_.relation.timelines[*of].phases;
    return fmt::format(
        "give {}, if firings of it may run at once; then it is {}", fmt::join(parts, " and "),
        rate_text(value_of(found.period) / static_cast<double>(firings), nanoseconds_));
  }

  void help_latency(const LatencyRequirement& required, TimelineId source, TimelineId sink,
                    const LatencyFound& found, const Rational& most, Diagnostic& d) const {
    const auto good = [&](const LatencyFound& l) {
      return l.state == LatencyFound::State::finite && !(most < l.first) && !(most < l.steady);
    };
    const auto text = [&](const LatencyFound& l) {
      return time_text(value_of(std::max(l.first, l.steady)), nanoseconds_);
    };
    if (required.every) {
      const auto firings =
          Int128{subject_.repetitions[source]} * subject_.relation.timelines[source].phases;
      const auto period = quotient(firings * *required.every, 1);
      const auto changes = period ? larger_channels(*period, sink) : std::nullopt;
      if (changes && *changes != subject_.capacities) {
        const auto with = relation::build(model_, &*changes);
        const auto then =
            latency(with, subject_.repetitions, source, sink, required.every, budget_);
        if (good(then))
          return propose(
              *changes, [&](const auto&) { return text(then); }, d);
      }
    }
    // Messages that come less often wait less.
    const auto& least = found.least_step;
    const auto slower = least.numerator() / least.denominator() +
                        (least.numerator() % least.denominator() == 0 ? 0 : 1);
    for (const auto step : {slower, slower + 1, slower + slower / 8 + 1, 2 * slower}) {
      if (required.every && step <= *required.every) continue;
      const auto then =
          latency(subject_.relation, subject_.repetitions, source, sink, step, budget_);
      if (!good(then)) continue;
      d.help = fmt::format("let '{}' fire once every {} at most (every: {}); then it is {}",
                           required.source, time_text(static_cast<double>(step), nanoseconds_),
                           nanoseconds_ ? fmt::format("{} ns", step) : fmt::format("{}", step),
                           text(then));
      return;
    }
    d.help = "take less time on the way: messages that come less often take too long, too";
  }

  void help_memory(const MemoryRequirement& required, const std::vector<std::int64_t>& bytes,
                   Diagnostic& d) const {
    constexpr std::int64_t most_steps = 200'000'000;
    SizeSubject sized(model_, subject_.repetitions, std::min(budget_, most_steps));
    auto problem = sized.problem();
    problem.weight = bytes;
    // What else is required has to stay.
    std::optional<Rational> period;
    for (const auto& other : model_.require.throughput) {
      if (!other.actor.empty()) continue;
      const auto longest = quotient(other.least.denominator(), other.least.numerator());
      if (longest && (!period || *longest < *period)) period = longest;
    }
    Lives lives(sized);
    IsAsFast fast(sized, period.value_or(Rational(0)));
    SizeCuts cuts;
    const auto found = search_sizes(
        problem, period ? static_cast<SizeGoal&>(fast) : lives, [&] { return sized.may_go_on(); },
        cuts);
    if (found.capacities.empty()) {
      d.help = "make messages smaller";
      return;
    }
    if (found.total > required.most) {
      d.help = fmt::format("make messages smaller: {} {}", bytes_text(found.bound),
                           period ? "is the least that is fast enough" : "is the least that lives");
      return;
    }
    propose(
        found.capacities, [&](const auto&) { return bytes_text(found.total); }, d);
  }

  const Subject& subject_;
  const GraphModel& model_;
  bool nanoseconds_;
  std::int64_t budget_;
  std::vector<Diagnostic>& diagnostics_;
};

}  // namespace

void check_requirements(const Subject& subject, std::int64_t budget,
                        std::vector<Diagnostic>& diagnostics) {
  Requirement requirement(subject, budget, diagnostics);
  const auto& require = subject.model.require;
  for (const auto& required : require.throughput) requirement.check(required);
  for (const auto& required : require.latency) requirement.check(required);
  if (require.memory) requirement.check(*require.memory);
}

}  // namespace antiphon::analysis
