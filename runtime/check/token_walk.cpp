#include "check/token_walk.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace antiphon::analysis {

namespace {

constexpr std::int64_t most_flat = 1 << 16;  // phases that are written out

// Phases back from where the firings before `firing` end, as if there had been no initial ones.
std::int64_t gain_back(const PhaseSequence& sequence, std::int64_t firing, std::int64_t back) {
  const auto phases = sequence.phases();
  const auto initial = sequence.initial_phases();
  auto phase = (firing - initial - back) % phases;
  if (phase < 0) phase += phases;
  return sequence.at(initial + phase);
}

// As one number, so that it can be chosen without a branch.
std::uint64_t packed(std::int32_t number, std::uint32_t link) {
  return std::uint64_t{static_cast<std::uint32_t>(number)} << 32U | link;
}

std::int64_t least(const PhaseSequence& sequence) {
  const auto runs = sequence.periodic_runs();
  return std::min_element(runs.begin(), runs.end(),
                          [](const PhaseRun& a, const PhaseRun& b) { return a.value < b.value; })
      ->value;
}

}  // namespace

template <typename Time>
void TokenWalk<Time>::RunPlace::next() noexcept {
  if (--left > 0) return;
  if (++at == runs.size()) at = 0;
  left = runs[at].count;
  value = runs[at].value;
}

template <typename Time>
bool TokenWalk<Time>::fits(const TimedComponent& component) {
  constexpr std::int64_t most_boundaries = 1 << 26;
  if (component.firings > std::numeric_limits<std::int32_t>::max()) return false;
  Int128 boundaries = 0;
  for (const auto& link : component.links) {
    const auto& gain = *link.gain;
    boundaries += Int128{link.held / gain.sum() + 1} * gain.phases();
  }
  return boundaries <= most_boundaries;
}

template <typename Time>
typename TokenWalk<Time>::Cursor TokenWalk<Time>::cursor(const PhaseSequence& sequence,
                                                         RunPlace*& place) {
  Cursor result;
  const auto runs = sequence.periodic_runs();
  if (runs.size() == 1) {
    result.values = &runs.front().value;
    result.count = 1;
  } else if (sequence.phases() <= most_flat) {
    auto& values = values_.emplace_back();
    values.reserve(static_cast<std::size_t>(sequence.phases()));
    for (const auto& run : runs) {
      values.insert(values.end(), static_cast<std::size_t>(run.count), run.value);
    }
    result.values = values.data();
    result.count = static_cast<std::uint32_t>(values.size());
  } else {
    place = &run_places_.emplace_back();
    place->runs = runs;
    result.values = &place->value;
  }
  return result;
}

// Goes to the phase of that firing, as if there had been no initial ones.
template <typename Time>
void TokenWalk<Time>::seek(Cursor& cursor, RunPlace* place, const PhaseSequence& sequence,
                           std::int64_t firing) {
  auto phase = (firing - sequence.initial_phases()) % sequence.phases();
  if (place == nullptr) {
    cursor.at = cursor.count == 1 ? 0 : static_cast<std::uint32_t>(phase);
    return;
  }
  place->at = 0;
  while (phase >= place->runs[place->at].count) phase -= place->runs[place->at++].count;
  place->left = place->runs[place->at].count - phase;
  place->value = place->runs[place->at].value;
}

template <typename Time>
TokenWalk<Time>::TokenWalk(const TimedComponent& component) : component_(component) {
  const auto n = component.timelines.size();
  const auto count = static_cast<std::uint32_t>(component.links.size());
  timelines_.resize(n);
  timeline_rests_.resize(n);
  ready_.resize(n + 1);
  for (std::uint32_t t = 0; t < n; ++t) {
    const auto& timed = component.timelines[t];
    auto& rest = timeline_rests_[t];
    rest.overlap = timed.overlap;
    rest.has_cost = timed.cost != nullptr;
    rest.is_scaled = timed.is_scaled;
    if (rest.has_cost) rest.cost = cursor(*timed.cost, rest.cost_runs);
    rest.may_be_held_up =
        timed.overlap == Overlap::in_order && rest.has_cost && !timed.cost->is_constant();
    timelines_[t].firings = static_cast<std::int32_t>(timed.firings);
    const auto add = [&](bool start) {
      boundaries_.push_back({1, t, 1, start});
      boundary_count_.push_back(0);
      return static_cast<std::uint32_t>(boundaries_.size() - 1);
    };
    if (timed.overlap != Overlap::unordered) rest.end_boundary = add(false);
    if (timed.overlap != Overlap::serial) rest.start_boundary = add(true);
  }
  link_of_.resize(count);
  std::iota(link_of_.begin(), link_of_.end(), 0U);
  std::stable_sort(link_of_.begin(), link_of_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return component.links[a].waiter < component.links[b].waiter;
  });
  ins_.resize(count);
  in_rests_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& link = component.links[link_of_[i]];
    const auto& source = component.timelines[link.source];
    auto& in = ins_[i];
    auto& rest = in_rests_[i];
    in.source = link.source;
    in.need = cursor(*link.need, rest.need);
    // Of the last entry that is wanted something was needed, so at most all but one message of it
    // are left.
    in.steps = static_cast<std::int32_t>(std::min<std::int64_t>(
        least(*link.need) / link.gain->max(), std::numeric_limits<std::int32_t>::max()));
    in.gain = cursor(*link.gain, rest.gain);
    rest.all = source.overlap == Overlap::unordered && source.cost != nullptr &&
               !source.cost->is_constant();
    in.special = rest.all || rest.need != nullptr || rest.gain != nullptr;
    rest.first_boundary = static_cast<std::uint32_t>(boundaries_.size());
    ++timeline_rests_[link.waiter].last_in;
    ++timeline_rests_[link.source].last_out;
    std::int64_t left = link.held;
    for (std::int32_t back = 1; left > 0; ++back) {
      const auto put = std::min(left, gain_back(*link.gain, source.start, back));
      if (put == 0) continue;
      // Put in by an iteration before that one, if it is so far back.
      const auto firings = static_cast<std::int32_t>(source.firings);
      const auto in_its_iteration = (back - 1) % firings + 1;
      boundaries_.push_back(
          {link.lag + 1 + (back - 1) / firings, link.source, in_its_iteration, false});
      rest.first_left = std::min(rest.first_left, firings - in_its_iteration);
      boundary_count_.push_back(put);
      left -= put;
    }
    // The oldest come first.
    std::reverse(boundaries_.begin() + rest.first_boundary, boundaries_.end());
    std::reverse(boundary_count_.begin() + rest.first_boundary, boundary_count_.end());
    rest.boundaries = static_cast<std::int32_t>(boundaries_.size() - rest.first_boundary);
  }
  std::uint32_t first_in = 0;
  std::uint32_t first_out = 0;
  for (auto& rest : timeline_rests_) {
    rest.first_in = std::exchange(first_in, first_in + rest.last_in);
    rest.last_in = first_in;
    rest.first_out = std::exchange(first_out, first_out + rest.last_out);
    rest.last_out = rest.first_out;
  }
  outs_.resize(count);
  in_of_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    ins_[i].out = timeline_rests_[ins_[i].source].last_out++;
    outs_[ins_[i].out].waiter = component.links[link_of_[i]].waiter;
    in_of_[ins_[i].out] = i;
  }
}

template <typename Time>
void TokenWalk<Time>::reset(const std::vector<Time>& before) {
  before_ = before;
  for (std::uint32_t t = 0; t < timelines_.size(); ++t) {
    const auto& timed = component_.timelines[t];
    auto& rest = timeline_rests_[t];
    if (timed.cost != nullptr) seek(rest.cost, rest.cost_runs, *timed.cost, timed.start);
    timelines_[t].fired = 0;
    timelines_[t].missing = 0;
    rest.oldest = 0;
    if (rest.end_boundary != UINT32_MAX) {
      rest.end = {before[rest.end_boundary], rest.end_boundary};
    }
    if (rest.start_boundary != UINT32_MAX) {
      rest.start = {before[rest.start_boundary], rest.start_boundary};
    }
  }
  for (std::uint32_t i = 0; i < ins_.size(); ++i) {
    const auto& link = component_.links[link_of_[i]];
    auto& in = ins_[i];
    seek(in.gain, in_rests_[i].gain, *link.gain, component_.timelines[link.source].start);
    seek(in.need, in_rests_[i].need, *link.need, component_.timelines[link.waiter].start);
    in.wanted = in.before = -in_rests_[i].boundaries;
    in.surplus = 0;
    want_special(i);
    if (in.wanted > 0) ++timelines_[link.waiter].missing;
  }
  ready_count_ = 0;
  for (std::uint32_t t = 0; t < timelines_.size(); ++t) {
    push(t, timelines_[t].missing == 0 && timelines_[t].firings > 0);
  }
}

// Turns to the next firing of the waiter: how many entries it wants. The branches are such that
// they can be foretold, for this is where all the time goes.
template <typename Time>
template <bool in_known_order>
inline void TokenWalk<Time>::want(std::uint32_t i) {
  auto& in = ins_[i];
  if (in.special || in.wanted < 0) [[unlikely]]
    return want_special(i);
  auto wanted = in.wanted;
  auto surplus = in.surplus - in.need.value();
  in.before = wanted;
  in.need.next();
  for (auto steps = in.steps; steps > 0; --steps) {
    surplus += in.gain.value();
    in.gain.next();
  }
  wanted += in.steps;
  const bool more = surplus < 0;
  surplus += more ? in.gain.value() : 0;
  in.gain.next(more);
  wanted += static_cast<std::int32_t>(more);
  while (surplus < 0) {
    surplus += in.gain.value();
    in.gain.next();
    ++wanted;
  }
  in.surplus = surplus;
  in.wanted = wanted;
  if constexpr (!in_known_order) outs_[in.out].firings = wanted;
}

template <typename Time>
void TokenWalk<Time>::want_special(std::uint32_t i) {
  auto& in = ins_[i];
  const auto& rest = in_rests_[i];
  const auto next = [](Cursor& cursor, RunPlace* runs) {
    runs != nullptr ? runs->next() : cursor.next();
  };
  in.before = in.wanted;
  in.surplus -= in.need.value();
  next(in.need, rest.need);
  while (in.surplus < 0) {
    if (in.wanted < 0) {
      in.surplus += boundary_count_[rest.first_boundary +
                                    static_cast<std::uint32_t>(rest.boundaries + in.wanted)];
    } else {
      in.surplus += in.gain.value();
      next(in.gain, rest.gain);
    }
    ++in.wanted;
  }
  outs_[in.out].firings = in.wanted;
}

// Of the source's firings those up to `number`. REQUIRES: > -boundaries.
template <typename Time>
inline typename TokenWalk<Time>::Entry TokenWalk<Time>::entry(std::uint32_t in,
                                                              std::int32_t number) const {
  if (number > 0) {
    const auto& source = timelines_[ins_[in].source];
    return source.ring[(number - 1) & source.mask];
  }
  const auto& rest = in_rests_[in];
  const auto b = rest.first_boundary + static_cast<std::uint32_t>(rest.boundaries + number - 1);
  return {before_[b], b};
}

// The latest of the entries that the next firing is the first to want, if later than `start`.
template <typename Time>
typename TokenWalk<Time>::Entry TokenWalk<Time>::latest(std::uint32_t i, Entry start,
                                                        std::int32_t& number) const {
  const auto& in = ins_[i];
  const auto& rest = in_rests_[i];
  const bool all = rest.all;
  if (in.wanted <= -rest.boundaries) return start;
  const auto& link = component_.links[link_of_[i]];
  const auto begin = component_.timelines[in.source].start - 1;
  for (auto e = all ? std::max(in.before, 1 - rest.boundaries) : in.wanted; e <= in.wanted; ++e) {
    // A firing that puts nothing in is waited for by nobody.
    if (all && e > 0 && link.gain->at(begin + e) == 0) continue;
    const auto found = entry(i, e);
    if (found.time <= start.time) continue;
    start = found;
    number = e;
  }
  return start;
}

// Firings that nobody will ask for any more give up their places, or there are more places.
template <typename Time>
void TokenWalk<Time>::make_room(std::uint32_t t) {
  auto& timeline = timelines_[t];
  auto& rest = timeline_rests_[t];
  auto oldest = timeline.fired;
  for (auto o = rest.first_out; o < rest.last_out; ++o) {
    const auto i = in_of_[o];
    // What is wanted next may lie in the last entry that was.
    oldest = std::min(oldest, std::max(ins_[i].before - 1, 0));
    // At the end of the iteration the last messages are asked for once more.
    oldest = std::min(oldest, in_rests_[i].first_left);
  }
  rest.oldest = oldest;
  const auto size = std::int64_t{timeline.mask} + 1;
  if (2 * (timeline.fired - oldest) < size) return;
  std::vector<Entry> larger(static_cast<std::size_t>(std::max<std::int64_t>(2 * size, 16)));
  const auto mask = static_cast<std::int32_t>(larger.size() - 1);
  for (auto n = oldest; n < timeline.fired; ++n) {
    larger[static_cast<std::size_t>(n & mask)] = timeline.ring[n & timeline.mask];
  }
  rest.entries.swap(larger);
  timeline.ring = rest.entries.data();
  timeline.mask = mask;
}

template <typename Time>
template <typename TokenWalk<Time>::Keep keep, bool in_known_order>
inline void TokenWalk<Time>::fire(std::uint32_t at, std::int64_t scale) {
  auto& timeline = timelines_[at];
  auto& rest = timeline_rests_[at];
  const bool serial = rest.overlap == Overlap::serial;
  Entry start = serial ? rest.end : rest.start;
  std::uint64_t cause = packed(0, serial ? Cause::by_end : Cause::by_start);
  std::uint32_t missing = 0;
  for (auto i = rest.first_in; i < rest.last_in; ++i) {
    const auto& in = ins_[i];
    auto wanted = in.wanted;
    const auto found = in.special || wanted <= 0 ? latest(i, start, wanted) : entry(i, wanted);
    const bool later = found.time > start.time;
    start.time = later ? found.time : start.time;
    start.by = later ? found.by : start.by;
    if constexpr (keep != Keep::nothing) cause = later ? packed(wanted, i) : cause;
    want<in_known_order>(i);
    if constexpr (!in_known_order) {
      missing += static_cast<std::uint32_t>(in.wanted > timelines_[in.source].fired);
    }
  }
  Entry end = start;
  if (rest.has_cost) {
    end.time += static_cast<Time>(rest.cost.value()) * (rest.is_scaled ? scale : 1);
    rest.cost_runs != nullptr ? rest.cost_runs->next() : rest.cost.next();
  }
  if constexpr (keep != Keep::nothing) {
    const auto index = first_firing_[at] + static_cast<std::uint32_t>(timeline.fired);
    records_[index] = {static_cast<std::int32_t>(static_cast<std::uint32_t>(cause >> 32U)),
                       static_cast<std::uint32_t>(cause)};
    if constexpr (keep == Keep::starts) starts_[index] = start.time;
  }
  if (!serial) rest.start = start;
  if (rest.may_be_held_up) {
    const bool held_up = end.time < rest.end.time;
    if (held_up) end = rest.end;
    if constexpr (keep != Keep::nothing) {
      if (!held_up) rest.holds_up = timeline.fired;
      rest.held_up_by[static_cast<std::size_t>(timeline.fired)] = rest.holds_up;
    }
  }
  rest.end = end;
  if (timeline.fired - rest.oldest > timeline.mask) make_room(at);
  timeline.ring[timeline.fired & timeline.mask] = end;
  const auto fired = ++timeline.fired;
  if constexpr (in_known_order) return;
  timeline.missing = missing;
  // Those that it lets go on fire before its own next firing: what was sent is soon taken, and
  // rings stay short.
  push(at, missing == 0 && fired < timeline.firings);
  for (auto o = rest.first_out; o < rest.last_out; ++o) {
    const auto& out = outs_[o];
    auto& waiter = timelines_[out.waiter];
    const bool enough = out.firings == fired;
    waiter.missing -= static_cast<std::uint32_t>(enough);
    push(out.waiter,
         static_cast<bool>(static_cast<int>(enough) & static_cast<int>(waiter.missing == 0) &
                           static_cast<int>(waiter.fired < waiter.firings)));
  }
}

template <typename Time>
template <typename TokenWalk<Time>::Keep keep>
bool TokenWalk<Time>::run(const std::vector<Time>& before, std::int64_t scale,
                          std::vector<Left>& after) {
  reset(before);
  if constexpr (keep != Keep::nothing) {
    first_firing_.clear();
    std::int64_t firings = 0;
    for (const auto& t : component_.timelines) {
      first_firing_.push_back(static_cast<std::uint32_t>(firings));
      firings += t.firings;
    }
    records_.resize(static_cast<std::size_t>(firings));
    if (keep == Keep::starts) starts_.resize(static_cast<std::size_t>(firings));
    for (std::size_t t = 0; t < timelines_.size(); ++t) {
      auto& rest = timeline_rests_[t];
      rest.holds_up = -1;
      if (rest.may_be_held_up) {
        rest.held_up_by.resize(static_cast<std::size_t>(timelines_[t].firings));
      }
    }
  }
  if (!order_.empty()) {
    for (const auto t : order_) fire<keep, true>(t, scale);
  } else {
    const bool keep_order =
        component_.firings <= most_recorded && timelines_.size() <= std::size_t{UINT16_MAX} + 1;
    if (keep_order) order_.reserve(static_cast<std::size_t>(component_.firings));
    while (ready_count_ > 0) {
      const auto t = ready_[--ready_count_];
      if (keep_order) order_.push_back(static_cast<std::uint16_t>(t));
      fire<keep, false>(t, scale);
    }
  }
  after.resize(boundaries_.size());
  for (std::size_t t = 0; t < timelines_.size(); ++t) {
    if (timelines_[t].fired < timelines_[t].firings) {
      order_.clear();
      return false;
    }
    const auto& rest = timeline_rests_[t];
    if (rest.end_boundary != UINT32_MAX) after[rest.end_boundary] = {rest.end.time, rest.end.by};
    if (rest.start_boundary != UINT32_MAX) {
      after[rest.start_boundary] = {rest.start.time, rest.start.by};
    }
  }
  for (std::size_t b = 0; b < boundaries_.size(); ++b) {
    if (boundary_count_[b] == 0) continue;  // of a timeline itself
    const auto& source = timelines_[boundaries_[b].timeline];
    const auto& entry = source.ring[(source.firings - boundaries_[b].back) & source.mask];
    after[b] = {entry.time, entry.by};
  }
  return true;
}

// Whose end lets a firing's messages go.
template <typename Time>
typename TokenWalk<Time>::Firing TokenWalk<Time>::published_by(Firing firing) const {
  const auto& rest = timeline_rests_[firing.timeline];
  if (!rest.may_be_held_up) return firing;
  for (;;) {
    const auto by = rest.held_up_by[static_cast<std::size_t>(firing.number)];
    if (by >= 0) return {firing.timeline, by, firing.iteration};
    firing = {firing.timeline, timelines_[firing.timeline].firings - 1, firing.iteration - 1};
  }
}

template <typename Time>
typename TokenWalk<Time>::Firing TokenWalk<Time>::firing_of(Node boundary) const {
  const auto& b = boundaries_[boundary];
  const Firing firing{b.timeline, timelines_[b.timeline].firings - b.back, -b.iterations};
  return b.start ? firing : published_by(firing);
}

template <typename Time>
typename TokenWalk<Time>::Cause TokenWalk<Time>::cause(std::uint32_t timeline,
                                                       std::int32_t number) const {
  const auto& record = records_[first_firing_[timeline] + static_cast<std::uint32_t>(number)];
  if (record.link >= Cause::by_start) {
    if (number > 0) return {{timeline, number - 1, 0}, record.link};
    return {{timeline, timelines_[timeline].firings - 1, -1}, record.link};
  }
  const auto link = link_of_[record.link];
  if (record.number > 0) {
    return {published_by({ins_[record.link].source, record.number - 1, 0}), link};
  }
  const auto& rest = in_rests_[record.link];
  const auto boundary =
      rest.first_boundary + static_cast<std::uint32_t>(rest.boundaries + record.number - 1);
  return {firing_of(boundary), link};
}

template <typename Time>
bool TokenWalk<Time>::walk(const std::vector<Time>& before, std::int64_t scale,
                           std::vector<Left>& after) {
  return run<Keep::nothing>(before, scale, after);
}

template <typename Time>
bool TokenWalk<Time>::record(const std::vector<Time>& before, std::int64_t scale,
                             std::vector<Left>& after, bool starts) {
  return starts ? run<Keep::starts>(before, scale, after)
                : run<Keep::decisions>(before, scale, after);
}

template class TokenWalk<std::int64_t>;
template class TokenWalk<Int128>;

}  // namespace antiphon::analysis
