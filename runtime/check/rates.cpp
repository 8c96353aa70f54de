#include "check/rates.hpp"

#include "base/int128.hpp"
#include "check/findings.hpp"
#include "check/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace antiphon::analysis {

namespace {

using relation::Relation;
using relation::TimelineId;
using relation::Wait;
using relation::WaitKind;

constexpr std::int64_t limit = PhaseSequence::limit;
constexpr std::size_t most_contradictions = 20;
constexpr std::int64_t most_steps_to_common = 10'000'000;
constexpr std::size_t most_walk_notes = 12;

// A positive fraction in lowest terms; both parts stay within 2^62.
struct Ratio {
  std::int64_t num = 1;
  std::int64_t den = 1;
  friend bool operator==(const Ratio&, const Ratio&) = default;
};

// a x num / den; nothing when a part leaves 62 bits. REQUIRES: num, den > 0.
std::optional<Ratio> times(Ratio a, std::int64_t num, std::int64_t den) {
  const auto g = std::gcd(num, den);
  num /= g;
  den /= g;
  const auto across = std::gcd(a.num, den);
  const auto back = std::gcd(num, a.den);
  const Int128 n = Int128{a.num / across} * (num / back);
  const Int128 d = Int128{a.den / back} * (den / across);
  if (n > limit || d > limit) return std::nullopt;
  return Ratio{static_cast<std::int64_t>(n), static_cast<std::int64_t>(d)};
}

// "'b' fires 3 times for each 2 firings of 'a'".
std::string times_each(const Ratio& r, const std::string& one, const std::string& other) {
  const auto each = r.den == 1 ? "firing" : fmt::format("{} firings", r.den);
  return fmt::format("'{}' fires {} for each {} of '{}'", one, counted(r.num, "time"), each, other);
}

class Balance {
 public:
  Balance(const GraphModel& model, const Relation& relation, std::vector<Diagnostic>& diagnostics)
      : model_(model), relation_(relation), out_(diagnostics), nodes_(relation.timelines.size()) {}

  std::vector<std::int64_t> solve() {
    collect_edges();
    if (has_errors(out_)) return {};
    std::vector<std::int64_t> repetitions(nodes_.size(), 0);
    for (TimelineId root = 0; root < nodes_.size(); ++root) {
      if (!nodes_[root].reached) solve_component(root, repetitions);
    }
    report_contradictions();
    if (!has_errors(out_)) check_sizes(repetitions);
    return repetitions;
  }

 private:
  static constexpr std::uint32_t no_edge = UINT32_MAX;

  // A data wait whose channel moves messages: the reader fires `up` cycles for `down` of the
  // writer.
  struct Edge {
    TimelineId writer = 0;
    TimelineId reader = 0;
    std::int64_t up = 0;
    std::int64_t down = 0;
    std::uint32_t wait = 0;
  };
  struct Node {
    bool reached = false;
    Ratio ratio;  // cycles for each of the root's
    std::uint32_t parent_edge = no_edge;
    std::uint32_t depth = 0;
  };

  const std::string& name(TimelineId t) const { return model_.actors[t].name; }
  const Wait& wait(const Edge& e) const { return relation_.waits[e.wait]; }
  const ChannelModel& channel(const Edge& e) const { return model_.channels[wait(e).channel]; }
  TimelineId other(const Edge& e, TimelineId end) const {
    return end == e.writer ? e.reader : e.writer;
  }

  // "a.x -> b.y", this reader alone.
  std::string link(const Edge& e) const {
    const auto& c = channel(e);
    if (!c.name.empty()) return c.name;
    const auto& to = c.to[wait(e).reader];
    return fmt::format("{}.{} -> {}.{}", c.from.actor, c.from.port, to.actor, to.port);
  }

  void collect_edges() {
    edges_of_.resize(nodes_.size());
    for (std::uint32_t i = 0; i < relation_.waits.size(); ++i) {
      const auto& w = relation_.waits[i];
      if (w.kind != WaitKind::data) continue;
      const auto sent = cycle_sum(relation_.timelines[w.source], relation_.gain(w));
      const auto taken = cycle_sum(relation_.timelines[w.waiter], relation_.need(w));
      if (sent == 0 && taken == 0) continue;  // no message moves once the initial phases are over
      const Edge edge{w.source, w.waiter, sent, taken, i};
      if (sent > limit || taken > limit) {
        too_large(w.source, fmt::format("one cycle of phases moves more than 2^62 messages on '{}'",
                                        link(edge)));
        continue;
      }
      if (sent == 0 || taken == 0) {
        one_sided(edge);
        continue;
      }
      const auto index = static_cast<std::uint32_t>(edges_.size());
      edges_.push_back(edge);
      edges_of_[w.source].push_back(index);
      if (w.waiter != w.source) edges_of_[w.waiter].push_back(index);
    }
  }

  void one_sided(const Edge& e) {
    const auto& c = channel(e);
    const auto& to = c.to[wait(e).reader];
    const bool sends = e.up > 0;
    auto d = finding(rule::one_sided_rate,
                     fmt::format("messages move at only one end of '{}'", link(e)));
    d.marks.push_back({c.place, display_name(c), ""});
    d.notes.push_back(fmt::format("'{}.{}' sends {} in each cycle of the phases of '{}'",
                                  c.from.actor, c.from.port, counted(e.up, "message"),
                                  c.from.actor));
    d.notes.push_back(fmt::format("'{}.{}' takes {} in each cycle of the phases of '{}'", to.actor,
                                  to.port, counted(e.down, "message"), to.actor));
    d.help = sends ? "let the reader take messages in at least one of its phases"
                   : "let the writer send messages in at least one of its phases";
    out_.push_back(std::move(d));
  }

  void too_large(TimelineId t, std::string note) {
    auto d =
        finding(rule::repetitions_too_large,
                fmt::format("an iteration that has '{}' in it would have more than 2^62 firings "
                            "or messages",
                            name(t)));
    d.marks.push_back({model_.actors[t].place, "actor " + name(t), ""});
    if (!note.empty()) d.notes.push_back(std::move(note));
    d.help = "choose rates that share more factors";
    out_.push_back(std::move(d));
  }

  // Spans the component breadth first, so that the ways back to the root, which make up the closed
  // walks that are reported, are short.
  void solve_component(TimelineId root, std::vector<std::int64_t>& repetitions) {
    std::vector<TimelineId> order{root};
    nodes_[root].reached = true;
    bool sound = true;
    bool exact = true;
    Int128 common = 1;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = order[i];
      for (const auto index : edges_of_[at]) {
        const auto& e = edges_[index];
        if (index == nodes_[at].parent_edge) continue;
        const bool forward = e.writer == at;
        const auto to = other(e, at);
        if (nodes_[to].reached && !forward) continue;  // looked at from its writer
        const auto ratio =
            times(nodes_[at].ratio, forward ? e.up : e.down, forward ? e.down : e.up);
        if (nodes_[to].reached) {
          if (exact && (!ratio || *ratio != nodes_[to].ratio)) {
            contradictions_.push_back(index);
            sound = false;
          }
          continue;
        }
        if (!ratio) {
          if (sound) too_large(to, "");
          sound = false;
          exact = false;  // nothing can be compared with a ratio that is not known
        }
        nodes_[to] = {true, ratio.value_or(Ratio{}), index, nodes_[at].depth + 1};
        order.push_back(to);
        if (sound) {
          const auto den = nodes_[to].ratio.den;
          common = common / std::gcd(static_cast<std::int64_t>(common), den) * den;
          if (common > limit) {
            sound = false;
            too_large(to, "");
          }
        }
      }
    }
    if (!sound) return;
    for (const auto t : order) {
      const auto& r = nodes_[t].ratio;
      const Int128 q = common / r.den * r.num;
      if (q > limit) {
        too_large(t, "");
        return;
      }
      repetitions[t] = static_cast<std::int64_t>(q);
    }
  }

  // Firings of `e`'s other end for each of `from`'s.
  std::optional<Ratio> firings(const Edge& e, TimelineId from) const {
    const bool forward = e.writer == from;
    const auto cycles = times({}, forward ? e.up : e.down, forward ? e.down : e.up);
    if (!cycles) return std::nullopt;
    return times(*cycles, relation_.timelines[other(e, from)].phases,
                 relation_.timelines[from].phases);
  }

  void report_contradictions() {
    std::stable_sort(contradictions_.begin(), contradictions_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return span(a) < span(b); });
    std::unordered_set<std::uint32_t> accused;
    std::size_t reported = 0;
    auto steps = most_steps_to_common;
    for (const auto index : contradictions_) {
      // The shortest come first, so the first way that is too long ends it.
      if (reported == most_contradictions || (reported > 0 && steps < 0)) break;
      const auto& e = edges_[index];
      auto [up, down] = ways_to_common(e.writer, e.reader);
      steps -= static_cast<std::int64_t>(up.size() + down.size());
      std::vector<std::uint32_t> walk = up;
      walk.insert(walk.end(), down.rbegin(), down.rend());
      const auto is_accused = [&](std::uint32_t i) { return accused.count(i) != 0; };
      // What a channel that was named already gets wrong is not said twice.
      if (accused.count(index) != 0 || std::any_of(walk.begin(), walk.end(), is_accused)) continue;
      accused.insert(walk.begin(), walk.end());
      accused.insert(index);
      ++reported;
      contradiction(e, walk);
    }
  }

  std::uint64_t span(std::uint32_t index) const {
    return std::uint64_t{nodes_[edges_[index].writer].depth} + nodes_[edges_[index].reader].depth;
  }

  // The tree's edges from both to where their ways to the root meet.
  std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>> ways_to_common(
      TimelineId a, TimelineId b) const {
    std::vector<std::uint32_t> from_a;
    std::vector<std::uint32_t> from_b;
    while (a != b) {
      auto& deeper = nodes_[a].depth >= nodes_[b].depth ? a : b;
      auto& way = nodes_[a].depth >= nodes_[b].depth ? from_a : from_b;
      const auto index = nodes_[deeper].parent_edge;
      way.push_back(index);
      deeper = other(edges_[index], deeper);
    }
    return {from_a, from_b};
  }

  void contradiction(const Edge& e, const std::vector<std::uint32_t>& walk) {
    const auto direct = firings(e, e.writer);
    std::vector<std::string> notes;
    std::vector<Mark> marks{{channel(e).place, display_name(channel(e)), ""}};
    std::optional<Ratio> around = Ratio{};
    TimelineId at = e.writer;
    for (const auto index : walk) {
      const auto& step = edges_[index];
      const auto to = other(step, at);
      const auto r = firings(step, at);
      if (r)
        notes.push_back(fmt::format("by '{}', {}", link(step), times_each(*r, name(to), name(at))));
      if (around && r) {
        around = times(*around, r->num, r->den);
      } else {
        around.reset();
      }
      marks.push_back({channel(step).place, display_name(channel(step)), ""});
      at = to;
    }
    if (notes.size() > most_walk_notes) {
      const auto left_out = notes.size() - most_walk_notes;
      const auto middle = notes.begin() + static_cast<std::ptrdiff_t>(most_walk_notes / 2);
      *middle = fmt::format("… and so on along {} channels …", left_out + 1);
      notes.erase(middle + 1, middle + 1 + static_cast<std::ptrdiff_t>(left_out));
    }
    if (marks.size() > most_walk_notes) marks.resize(most_walk_notes);

    std::string headline;
    if (walk.empty()) {
      headline = fmt::format("by '{}', '{}' sends itself more or fewer messages than it takes",
                             link(e), name(e.writer));
      notes.push_back(fmt::format("in each cycle of its phases '{}' sends {} and takes {}",
                                  name(e.writer), counted(e.up, "message"), e.down));
    } else {
      headline = fmt::format("the rates of '{}' contradict those of {}", link(e),
                             walk.size() == 1 ? quoted(link(edges_[walk.front()]))
                                              : "the other channels between its ends");
      if (walk.size() > 1 && around) {
        notes.push_back("so " + times_each(*around, name(e.reader), name(e.writer)));
      }
      if (direct) {
        notes.push_back(fmt::format("but by '{}', {}", link(e),
                                    times_each(*direct, name(e.reader), name(e.writer))));
      }
    }
    auto d = finding(rule::inconsistent_rates, std::move(headline));
    d.marks = std::move(marks);
    d.notes = std::move(notes);
    propose(e, walk, d);
    out_.push_back(std::move(d));
  }

  // A port whose rate would be another.
  struct RateChange {
    TimelineId actor = 0;
    std::uint32_t port = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
    bool sum = false;           // of its phases; else the one number that it is
    std::int64_t in_cycle = 0;  // messages in a cycle of the actor's, with it
  };
  struct Proposal {
    std::size_t left = 0;  // contradictions of the component that it leaves
    std::vector<RateChange> changes;
  };

  // What makes the closed walk agree: one rate where there is one, else both of one channel. Tried
  // on the whole component; what leaves the fewest contradictions comes first.
  void propose(const Edge& e, const std::vector<std::uint32_t>& walk, Diagnostic& d) {
    d.help = walk.empty() ? "give both of its ends the same rate"
                          : "change a rate on one of these channels so that both ways agree";
    // By how much the walk and the edge disagree: cycles of the reader for each of the writer.
    auto off = times(Ratio{}, e.up, e.down);
    TimelineId at = e.writer;
    for (const auto index : walk) {
      const auto& step = edges_[index];
      const bool forward = step.writer == at;
      if (off) off = times(*off, forward ? step.down : step.up, forward ? step.up : step.down);
      at = other(step, at);
    }
    if (!off) return;
    std::vector<Proposal> singles;
    std::vector<Proposal> pairs;
    add_proposals(e, times(sent_for_taken(e), off->den, off->num), singles, pairs);
    at = e.writer;
    for (const auto index : walk) {
      const auto& step = edges_[index];
      const bool forward = step.writer == at;
      add_proposals(
          step,
          times(sent_for_taken(step), forward ? off->num : off->den, forward ? off->den : off->num),
          singles, pairs);
      at = other(step, at);
    }
    auto& all = singles.empty() ? pairs : singles;
    std::vector<Proposal> tried;
    for (auto& proposal : all) {
      if (steps_for_trials_ <= 0) break;
      if (const auto left = contradictions_with(proposal.changes)) {
        tried.push_back({*left, std::move(proposal.changes)});
      }
    }
    if (tried.empty()) return;
    std::stable_sort(tried.begin(), tried.end(), [](const Proposal& a, const Proposal& b) {
      return std::pair(a.left, distance(a)) < std::pair(b.left, distance(b));
    });
    const auto& best = tried.front();
    if (best.left >= contradictions_.size()) return;
    d.help = fmt::format("change the rate of {}", text_of(best));
    if (tried.size() > 1 && tried[1].left == best.left && best.changes.size() == 1) {
      d.help += fmt::format(", or of {}", text_of(tried[1]));
    }
    d.help += best.left == 0 ? "; then all rates fit" : "; then these agree";
    // Which of several phases is to change is for a person to say.
    const bool sums = std::any_of(best.changes.begin(), best.changes.end(),
                                  [](const RateChange& change) { return change.sum; });
    for (const auto& change : best.changes) {
      if (sums) break;
      d.repairs.push_back({Repair::Of::rate, port_name(change), change.from, change.to,
                           model_.actors[change.actor].ports[change.port].place});
    }
  }

  std::string port_name(const RateChange& change) const {
    return name(change.actor) + "." + model_.actors[change.actor].ports[change.port].name;
  }
  std::string text_of(const Proposal& proposal) const {
    std::string text;
    for (const auto& change : proposal.changes) {
      text +=
          fmt::format("{}'{}' from {} to {}{}", text.empty() ? "" : " and of ", port_name(change),
                      change.from, change.to, change.sum ? " (the sum of its phases)" : "");
    }
    return text;
  }
  static Int128 distance(const Proposal& proposal) {
    Int128 sum = 0;
    for (const auto& change : proposal.changes) {
      sum += change.to > change.from ? change.to - change.from : change.from - change.to;
    }
    return sum;
  }

  static Ratio sent_for_taken(const Edge& e) { return *times(Ratio{}, e.up, e.down); }

  // The change of one end of an edge that gives a cycle there this many messages; nothing where
  // that is no whole number.
  std::optional<RateChange> change_of(TimelineId actor, std::uint32_t port, Int128 in_cycle) const {
    const auto& rate = model_.actors[actor].ports[port].rate;
    const bool sum = rate.phases() > 1 || rate.initial_phases() > 0;
    const auto times_in_cycle = relation_.timelines[actor].phases / rate.phases();
    if (in_cycle <= 0 || in_cycle > limit || in_cycle % times_in_cycle != 0) return std::nullopt;
    return RateChange{actor,      port,
                      rate.sum(), static_cast<std::int64_t>(in_cycle / times_in_cycle),
                      sum,        static_cast<std::int64_t>(in_cycle)};
  }

  // `needed`: messages of the writer's cycle for each of the reader's that would do.
  void add_proposals(const Edge& e, const std::optional<Ratio>& needed,
                     std::vector<Proposal>& singles, std::vector<Proposal>& pairs) const {
    if (!needed) return;
    const auto& w = wait(e);
    const auto sends = [&](Int128 messages) {
      return change_of(e.writer, w.source_port, messages);
    };
    const auto takes = [&](Int128 messages) {
      return change_of(e.reader, w.waiter_port, messages);
    };
    const Int128 up = Int128{e.down} * needed->num;
    if (up % needed->den == 0) {
      if (const auto change = sends(up / needed->den)) singles.push_back({0, {*change}});
    }
    const Int128 down = Int128{e.up} * needed->den;
    if (down % needed->num == 0) {
      if (const auto change = takes(down / needed->num)) singles.push_back({0, {*change}});
    }
    // As few of both as are whole numbers in each of the actors' phases.
    const auto of_writer = relation_.timelines[e.writer].phases / relation_.gain(w).phases();
    const auto of_reader = relation_.timelines[e.reader].phases / relation_.need(w).phases();
    const auto w_needs = of_writer / std::gcd(of_writer, needed->num);
    const auto r_needs = of_reader / std::gcd(of_reader, needed->den);
    const Int128 both = Int128{w_needs} / std::gcd(w_needs, r_needs) * r_needs;
    const auto first = sends(both * needed->num);
    const auto second = takes(both * needed->den);
    if (first && second) pairs.push_back({0, {*first, *second}});
  }

  // Of the component, with these rates; nothing where it gets too large, or takes too long.
  std::optional<std::size_t> contradictions_with(const std::vector<RateChange>& changes) {
    const auto sum = [&](TimelineId actor, std::uint32_t port, std::int64_t now) {
      for (const auto& change : changes) {
        if (change.actor == actor && change.port == port) {
          return change.in_cycle;
        }
      }
      return now;
    };
    std::unordered_map<TimelineId, Ratio> ratios{{changes.front().actor, Ratio{}}};
    std::vector<TimelineId> order{changes.front().actor};
    std::size_t found = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = order[i];
      for (const auto index : edges_of_[at]) {
        if (--steps_for_trials_ <= 0) return std::nullopt;
        const auto& e = edges_[index];
        const auto up = sum(e.writer, wait(e).source_port, e.up);
        const auto down = sum(e.reader, wait(e).waiter_port, e.down);
        const bool forward = e.writer == at;
        const auto ratio = times(ratios.at(at), forward ? up : down, forward ? down : up);
        if (!ratio) return std::nullopt;
        const auto [known, fresh] = ratios.emplace(other(e, at), *ratio);
        if (fresh) {
          order.push_back(known->first);
        } else if (forward && *ratio != known->second) {
          ++found;
        }
      }
    }
    return found;
  }

  // Whatever later passes count in one iteration fits 62 bits.
  void check_sizes(const std::vector<std::int64_t>& repetitions) {
    const auto fits = [](std::int64_t a, std::int64_t b) { return Int128{a} * b <= Int128{limit}; };
    for (TimelineId t = 0; t < nodes_.size(); ++t) {
      const auto& timeline = relation_.timelines[t];
      if (!fits(repetitions[t], timeline.phases) ||
          Int128{repetitions[t]} * timeline.phases + timeline.initial_phases > Int128{limit}) {
        too_large(t, fmt::format("{} of {}", counted(repetitions[t], "cycle"),
                                 counted(timeline.phases, "phase")));
      }
    }
    for (const auto& e : edges_) {
      if (!fits(repetitions[e.writer], e.up)) {
        too_large(e.writer, fmt::format("'{}' would move them", link(e)));
      }
    }
  }

  const GraphModel& model_;
  const Relation& relation_;
  std::vector<Diagnostic>& out_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> edges_of_;
  std::vector<std::uint32_t> contradictions_;
  std::int64_t steps_for_trials_ = 5'000'000;
};

}  // namespace

std::int64_t cycle_sum(const relation::Timeline& timeline, const PhaseSequence& sequence) noexcept {
  const Int128 sum = Int128{sequence.sum()} * (timeline.phases / sequence.phases());
  return sum > limit ? limit + 1 : static_cast<std::int64_t>(sum);
}

std::vector<std::int64_t> solve_rates(const GraphModel& model, const Relation& relation,
                                      std::vector<Diagnostic>& diagnostics) {
  return Balance(model, relation, diagnostics).solve();
}

}  // namespace antiphon::analysis
