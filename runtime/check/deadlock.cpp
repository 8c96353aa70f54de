#include "check/deadlock.hpp"

#include "check/cure.hpp"
#include "check/findings.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::Wait;
using relation::WaitKind;

constexpr std::size_t most_hops = 12;

class Describer {
 public:
  Describer(const Subject& subject, std::int64_t budget, bool only_one)
      : subject_(subject), budget_(budget), only_one_(only_one) {}

  // Looks for the capacities with which parts live. Those that share a channel of several readers
  // are cured together: what one needs there may spare the other a change elsewhere.
  void cure_capacities(const Liveness& liveness) {
    std::vector<std::vector<const Stuck*>> groups;
    std::unordered_map<std::uint32_t, std::size_t> group_of;  // by shared channel
    for (const auto& stuck : liveness.stuck) {
      if (stuck.kind != Deadlock::capacity) continue;
      const auto own = groups.size();
      groups.push_back({&stuck});
      for (const auto w : stuck.block.waits) {
        const auto channel = subject_.relation.waits[w].channel;
        if (channel == relation::none || subject_.model.channels[channel].to.size() < 2) continue;
        const auto [at, fresh] = group_of.emplace(channel, own);
        const auto other = at->second;
        if (fresh || other == own) continue;
        for (auto& [shared, group] : group_of) {
          if (group == other) group = own;
        }
        groups[own].insert(groups[own].end(), groups[other].begin(), groups[other].end());
        groups[other].clear();
      }
    }
    for (const auto& group : groups) {
      if (!group.empty()) cure_together(group);
    }
  }

  Diagnostic describe(const Stuck& stuck) {
    std::vector<std::string> names;
    for (const auto& hop : stuck.path) names.push_back(actor(hop.waiter));
    const bool closed = stuck.path.back().timepoint.has_value();
    auto d = finding(rule_of(stuck.kind), headline(stuck, names, closed));
    add_marks(stuck, d);
    add_notes(stuck, d);
    d.help = help(stuck, d);
    return d;
  }

 private:
  const std::string& actor(relation::TimelineId t) const { return subject_.model.actors[t].name; }
  const Wait& wait(const Hop& hop) const { return subject_.relation.waits[hop.wait]; }

  // "a.x -> b.y" of this wait's reader alone, or the channel's own name.
  std::string link(const Wait& w) const {
    const auto& channel = subject_.model.channels[w.channel];
    if (!channel.name.empty()) return channel.name;
    const auto& to = channel.to[w.reader];
    return fmt::format("{}.{} -> {}.{}", channel.from.actor, channel.from.port, to.actor, to.port);
  }

  static const Rule& rule_of(Deadlock kind) {
    switch (kind) {
      case Deadlock::data:
        return rule::deadlock_data;
      case Deadlock::capacity:
        return rule::deadlock_capacity;
      case Deadlock::order:
        return rule::deadlock_order;
    }
    return rule::deadlock_data;
  }

  std::string headline(const Stuck& stuck, const std::vector<std::string>& names,
                       bool closed) const {
    const auto who = quoted_list(names);
    if (!closed) {
      const auto& last = stuck.path.back();
      return wait(last).kind == WaitKind::space
                 ? fmt::format("'{}' waits for room that is never made", actor(last.waiter))
                 : fmt::format("'{}' waits for messages that are never sent", actor(last.waiter));
    }
    const bool one = names.size() == 1;
    switch (stuck.kind) {
      case Deadlock::data:
        return one ? fmt::format("{} waits for its own messages for ever", who)
                   : fmt::format("{} wait for each other's messages for ever", who);
      case Deadlock::capacity:
        return one ? fmt::format("{} waits for ever: its channel to itself holds too little", who)
                   : fmt::format("{} wait for each other for ever: too little room in channels",
                                 who);
      case Deadlock::order:
        return one ? fmt::format("{} waits for ever in its own queue", who)
                   : fmt::format("{} wait for each other for ever in their queues", who);
    }
    return who;
  }

  void add_marks(const Stuck& stuck, Diagnostic& d) const {
    std::vector<std::uint32_t> shown;
    for (const auto& hop : stuck.path) {
      const auto& w = wait(hop);
      if (w.channel == relation::none || shown.size() == most_hops) continue;
      if (std::find(shown.begin(), shown.end(), w.channel) != shown.end()) continue;
      shown.push_back(w.channel);
      const auto& channel = subject_.model.channels[w.channel];
      std::string holds;
      if (const auto capacity = subject_.capacities[w.channel]; capacity > 0) {
        holds = fmt::format(", room for {}", capacity);
      }
      d.marks.push_back(
          {channel.place, display_name(channel),
           fmt::format("starts with {}{}", counted(channel.initial, "message"), holds)});
    }
  }

  void add_notes(const Stuck& stuck, Diagnostic& d) const {
    const auto& path = stuck.path;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path.size() > most_hops && i == most_hops / 2) {
        const auto left_out = path.size() - most_hops + 1;
        d.notes.push_back(fmt::format("… {} more of the same …", left_out));
        i += left_out - 1;
        continue;
      }
      d.notes.push_back(hop_text(path[i]));
    }
  }

  std::string hop_text(const Hop& hop) const {
    const auto& w = wait(hop);
    const auto& source = actor(w.source);
    std::string why;
    switch (w.kind) {
      case WaitKind::data:
        why = fmt::format("too few messages in '{}'", link(w));
        break;
      case WaitKind::space:
        why = fmt::format("too little room in '{}'", link(w));
        break;
      case WaitKind::order:
        why = "the order of their queue";
        break;
      case WaitKind::self:
        why = "one firing at a time";
        break;
    }
    const auto state = [](std::int64_t fired) {
      return fired == 0 ? std::string("has ended none") : fmt::format("has ended {}", fired);
    };
    if (!hop.timepoint) {
      return fmt::format("'{}' ({}) waits for more than '{}' ever {}: {}", actor(hop.waiter),
                         state(hop.fired), source, w.kind == WaitKind::space ? "takes" : "sends",
                         why);
    }
    if (w.source == w.waiter) {
      return fmt::format("'{}' ({}) waits for itself to have ended {}: {}", actor(hop.waiter),
                         state(hop.fired), counted(*hop.timepoint, "firing"), why);
    }
    return fmt::format("'{}' ({}) waits for '{}' to have ended {} ({}): {}", actor(hop.waiter),
                       state(hop.fired), source, counted(*hop.timepoint, "firing"),
                       state(hop.source_fired), why);
  }

  std::string then() const {
    return only_one_ ? "then the graph lives" : "then they go on for ever";
  }

  std::string help(const Stuck& stuck, Diagnostic& d) {
    switch (stuck.kind) {
      case Deadlock::data:
        return data_help(stuck, d);
      case Deadlock::capacity:
        return capacity_help(stuck, d);
      case Deadlock::order:
        break;
    }
    return "give the queue another order, or take another queue";
  }

  std::string capacity_help(const Stuck& stuck, Diagnostic& d) const {
    const auto found = cures_.find(&stuck);
    if (found == cures_.end()) return "leave the capacities of these channels to the check";
    add_repairs(found->second, Repair::Of::capacity, d);
    return fmt::format("raise {}; {}", change_text(found->second, "the capacity of"), then());
  }

  void cure_together(const std::vector<const Stuck*>& parts) {
    CureOptions options;
    options.kind = WaitKind::space;
    options.may_grow = [&](std::uint32_t c) {
      return subject_.model.channels[c].capacity.has_value();
    };
    options.now = [&](std::uint32_t c) { return subject_.capacities[c]; };
    Block all;
    for (const auto* part : parts) {
      all.timelines.insert(all.timelines.end(), part->block.timelines.begin(),
                           part->block.timelines.end());
      all.waits.insert(all.waits.end(), part->block.waits.begin(), part->block.waits.end());
    }
    std::sort(all.timelines.begin(), all.timelines.end());
    all.timelines.erase(std::unique(all.timelines.begin(), all.timelines.end()),
                        all.timelines.end());
    std::sort(all.waits.begin(), all.waits.end());
    const auto changes = cure(subject_.relation, all, subject_.repetitions, options, budget_);
    if (!changes) return;
    for (const auto* part : parts) {
      std::vector<Change> own;
      for (const auto& change : *changes) {
        const auto& waits = part->block.waits;
        if (std::any_of(waits.begin(), waits.end(), [&](std::uint32_t w) {
              return subject_.relation.waits[w].channel == change.channel;
            })) {
          own.push_back(change);
        }
      }
      if (!own.empty()) cures_.emplace(part, std::move(own));
    }
  }

  std::string data_help(const Stuck& stuck, Diagnostic& d) {
    CureOptions options;
    options.kind = WaitKind::data;
    options.may_grow = [](std::uint32_t) { return true; };
    options.now = [&](std::uint32_t c) { return subject_.model.channels[c].initial; };
    const auto changes =
        cure(subject_.relation, stuck.block, subject_.repetitions, options, budget_);
    if (!changes || changes->empty()) return "give channels on this path more initial messages";
    add_repairs(*changes, Repair::Of::initial, d);
    std::string text = "raise " + change_text(*changes, "the initial messages of");
    if (!only_one_) return text + "; then these messages suffice";
    if (lives_with(*changes, false)) return fmt::format("{}; {}", text, then());
    std::vector<Change> capacities;
    for (const auto& change : *changes) {
      const auto capacity = subject_.capacities[change.channel];
      if (subject_.model.channels[change.channel].capacity) {
        capacities.push_back({change.channel, capacity, capacity + change.to - change.from});
      }
    }
    if (!capacities.empty() && lives_with(*changes, true)) {
      add_repairs(capacities, Repair::Of::capacity, d);
      return fmt::format("{}, and {}; {}", text, change_text(capacities, "the capacity of"),
                         then());
    }
    return text + "; then these messages suffice";
  }

  void add_repairs(const std::vector<Change>& changes, Repair::Of of, Diagnostic& d) const {
    for (const auto& change : changes) {
      const auto& channel = subject_.model.channels[change.channel];
      d.repairs.push_back(
          {of, display_name(channel), change.from, change.to,
           of == Repair::Of::capacity ? channel.capacity_place : channel.initial_place});
    }
  }

  // The whole graph with that many more initial messages, in channels as large as they are or with
  // room for them besides. Those that the check sizes itself have that room.
  bool lives_with(const std::vector<Change>& initial, bool with_room) {
    Relation trial = subject_.relation;
    std::vector<std::int64_t> more(subject_.model.channels.size(), 0);
    for (const auto& change : initial) more[change.channel] = change.to - change.from;
    for (auto& w : trial.waits) {
      if (w.channel == relation::none || more[w.channel] == 0) continue;
      if (w.kind == WaitKind::data) w.offset += more[w.channel];
      const bool keeps = with_room || !subject_.model.channels[w.channel].capacity;
      if (w.kind == WaitKind::space && !keeps) w.offset -= more[w.channel];
      if (w.offset < 0) return false;
    }
    return examine(trial, subject_.repetitions, Kinds{}, budget_).lives();
  }

  std::string change_text(const std::vector<Change>& changes, std::string_view what) const {
    constexpr std::size_t most = 8;
    std::vector<std::string> parts;
    for (const auto& change : changes) {
      if (parts.size() == most) break;
      const auto& channel = subject_.model.channels[change.channel];
      parts.push_back(
          fmt::format("'{}' from {} to {}", display_name(channel), change.from, change.to));
    }
    std::string text = fmt::format("{} {}", what, parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i) {
      text += i + 1 == changes.size() ? " and of " : ", of ";
      text += parts[i];
    }
    if (parts.size() < changes.size()) {
      text += fmt::format(" and of {} more", changes.size() - parts.size());
    }
    return text;
  }

  const Subject& subject_;
  std::int64_t budget_;
  bool only_one_;
  std::unordered_map<const Stuck*, std::vector<Change>> cures_;
};

}  // namespace

void describe_deadlocks(const Subject& subject, const Liveness& liveness, std::int64_t budget,
                        std::vector<Diagnostic>& diagnostics) {
  Describer describer(subject, budget, liveness.stuck.size() == 1 && !liveness.undecided);
  describer.cure_capacities(liveness);
  for (const auto& stuck : liveness.stuck) diagnostics.push_back(describer.describe(stuck));
}

}  // namespace antiphon::analysis
