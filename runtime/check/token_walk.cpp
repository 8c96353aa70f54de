#include "check/token_walk.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <functional>
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

}  // namespace

template <typename Time>
void TokenWalk<Time>::Cursor::seek(const PhaseSequence& sequence, std::int64_t firing) {
  const auto phases = sequence.phases();
  auto phase = (firing - sequence.initial_phases()) % phases;
  if (sequence.periodic_runs().size() == 1) {
    count_ = 1;
    value_ = sequence.periodic_runs().front().value;
  } else if (phases <= most_flat) {
    count_ = static_cast<std::size_t>(phases);
    if (values_.empty()) {
      for (const auto& run : sequence.periodic_runs()) {
        values_.insert(values_.end(), static_cast<std::size_t>(run.count), run.value);
      }
    }
    at_ = static_cast<std::size_t>(phase);
    value_ = values_[at_];
  } else {
    runs_ = &sequence.periodic_runs();
    at_ = 0;
    while (phase >= (*runs_)[at_].count) phase -= (*runs_)[at_++].count;
    left_ = (*runs_)[at_].count - phase;
    value_ = (*runs_)[at_].value;
  }
}

template <typename Time>
void TokenWalk<Time>::Cursor::next_run() noexcept {
  if (--left_ > 0) return;
  if (++at_ == runs_->size()) at_ = 0;
  left_ = (*runs_)[at_].count;
  value_ = (*runs_)[at_].value;
}

template <typename Time>
TokenWalk<Time>::TokenWalk(const TimedComponent& component) : component_(component) {
  const auto n = component.timelines.size();
  const auto count = static_cast<std::uint32_t>(component.links.size());
  timelines_.resize(n);
  for (std::uint32_t t = 0; t < n; ++t) {
    const auto& timed = component.timelines[t];
    auto& timeline = timelines_[t];
    timeline.overlap = timed.overlap;
    timeline.has_cost = timed.cost != nullptr;
    timeline.firings = timed.firings;
    const auto add = [&] {
      boundaries_.push_back({1});
      boundary_count_.push_back(0);
      boundary_back_.push_back(0);
      return static_cast<std::uint32_t>(boundaries_.size() - 1);
    };
    if (timed.overlap != Overlap::unordered) timeline.end_boundary = add();
    if (timed.overlap != Overlap::serial) timeline.start_boundary = add();
  }
  link_of_.resize(count);
  std::iota(link_of_.begin(), link_of_.end(), 0U);
  std::stable_sort(link_of_.begin(), link_of_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return component.links[a].waiter < component.links[b].waiter;
  });
  ins_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& link = component.links[link_of_[i]];
    const auto& source = component.timelines[link.source];
    auto& in = ins_[i];
    in.source = link.source;
    in.all = source.overlap == Overlap::unordered && source.cost != nullptr &&
             !source.cost->is_constant();
    in.first_boundary = static_cast<std::uint32_t>(boundaries_.size());
    ++timelines_[link.waiter].last_in;
    ++timelines_[link.source].last_out;
    std::int64_t left = link.held;
    for (std::int64_t back = 1; left > 0; ++back) {
      const auto put = std::min(left, gain_back(*link.gain, source.start, back));
      if (put == 0) continue;
      boundaries_.push_back({link.lag + 1});
      boundary_count_.push_back(put);
      boundary_back_.push_back(back);
      left -= put;
    }
    // The oldest come first.
    std::reverse(boundaries_.begin() + in.first_boundary, boundaries_.end());
    std::reverse(boundary_count_.begin() + in.first_boundary, boundary_count_.end());
    std::reverse(boundary_back_.begin() + in.first_boundary, boundary_back_.end());
    in.boundaries = static_cast<std::int64_t>(boundaries_.size() - in.first_boundary);
  }
  std::uint32_t first_in = 0;
  std::uint32_t first_out = 0;
  for (auto& timeline : timelines_) {
    timeline.first_in = std::exchange(first_in, first_in + timeline.last_in);
    timeline.last_in = first_in;
    timeline.first_out = std::exchange(first_out, first_out + timeline.last_out);
    timeline.last_out = timeline.first_out;
  }
  outs_.resize(count);
  in_of_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    ins_[i].out = timelines_[ins_[i].source].last_out++;
    outs_[ins_[i].out].waiter = component.links[link_of_[i]].waiter;
    in_of_[ins_[i].out] = i;
  }
}

template <typename Time>
void TokenWalk<Time>::reset(const std::vector<Time>& before) {
  before_ = before;
  ready_.clear();
  for (std::uint32_t t = 0; t < timelines_.size(); ++t) {
    const auto& timed = component_.timelines[t];
    auto& timeline = timelines_[t];
    if (timed.cost != nullptr) timeline.cost.seek(*timed.cost, timed.start);
    timeline.fired = 0;
    timeline.oldest = 0;
    timeline.missing = 0;
    timeline.is_ready = true;
    if (timeline.end_boundary != UINT32_MAX) {
      timeline.end = {before[timeline.end_boundary], timeline.end_boundary};
    }
    if (timeline.start_boundary != UINT32_MAX) {
      timeline.start = {before[timeline.start_boundary], timeline.start_boundary};
    }
    ready_.push_back(t);
  }
  for (std::uint32_t i = 0; i < ins_.size(); ++i) {
    const auto& link = component_.links[link_of_[i]];
    auto& in = ins_[i];
    in.gain.seek(*link.gain, component_.timelines[link.source].start);
    in.need.seek(*link.need, component_.timelines[link.waiter].start);
    in.wanted = in.before = 0;
    in.put = 0;
    in.taken = 0;
    want(in);
    if (outs_[in.out].firings > 0) ++timelines_[link.waiter].missing;
  }
}

// Turns to the next firing of the waiter: how many entries it wants.
template <typename Time>
inline void TokenWalk<Time>::want(In& in) {
  in.before = in.wanted;
  in.taken += in.need.value();
  in.need.next();
  while (in.put < in.taken) {
    if (in.wanted < in.boundaries) {
      in.put += boundary_count_[in.first_boundary + static_cast<std::size_t>(in.wanted)];
    } else {
      in.put += in.gain.value();
      in.gain.next();
    }
    ++in.wanted;
  }
  outs_[in.out].firings = in.wanted - in.boundaries;
}

template <typename Time>
inline typename TokenWalk<Time>::Entry TokenWalk<Time>::entry(const In& in,
                                                              std::int64_t number) const {
  if (number > in.boundaries) {
    const auto& source = timelines_[in.source];
    return source.ring[(number - in.boundaries - 1) & source.mask];
  }
  const auto b = in.first_boundary + static_cast<std::uint32_t>(number - 1);
  return {before_[b], b};
}

// Firings that nobody will ask for any more give up their places, or there are more places.
template <typename Time>
void TokenWalk<Time>::make_room(Timeline& timeline) {
  auto oldest = timeline.fired;
  for (auto o = timeline.first_out; o < timeline.last_out; ++o) {
    const auto& in = ins_[in_of_[o]];
    // What is wanted next may lie in the last entry that was.
    oldest = std::min(oldest, std::max<std::int64_t>(in.before - in.boundaries - 1, 0));
    // At the end of the iteration the last messages are asked for once more.
    if (in.boundaries > 0) {
      oldest = std::min(
          oldest, std::max<std::int64_t>(timeline.firings - boundary_back_[in.first_boundary], 0));
    }
  }
  timeline.oldest = oldest;
  const auto size = timeline.mask + 1;
  if (2 * (timeline.fired - oldest) < size) return;
  std::vector<Entry> larger(static_cast<std::size_t>(std::max<std::int64_t>(2 * size, 16)));
  const auto mask = static_cast<std::int64_t>(larger.size()) - 1;
  for (auto n = oldest; n < timeline.fired; ++n) {
    larger[static_cast<std::size_t>(n & mask)] = timeline.ring[n & timeline.mask];
  }
  timeline.entries.swap(larger);
  timeline.ring = timeline.entries.data();
  timeline.mask = mask;
}

template <typename Time>
template <bool recording>
inline void TokenWalk<Time>::fire(std::uint32_t at, std::int64_t scale) {
  auto& timeline = timelines_[at];
  const bool serial = timeline.overlap == Overlap::serial;
  Entry start = serial ? timeline.end : timeline.start;
  std::uint32_t through = serial ? Record::by_end : Record::by_start;
  for (auto i = timeline.first_in; i < timeline.last_in; ++i) {
    auto& in = ins_[i];
    const auto look = [&](std::int64_t number) {
      const auto found = entry(in, number);
      if (found.time <= start.time) return;
      start = found;
      through = i;
    };
    if (in.all) {
      const auto& link = component_.links[link_of_[i]];
      const auto begin = component_.timelines[in.source].start - in.boundaries - 1;
      for (auto e = std::max<std::int64_t>(in.before, 1); e <= in.wanted; ++e) {
        // A firing that puts nothing in is waited for by nobody.
        if (e <= in.boundaries || link.gain->at(begin + e) > 0) look(e);
      }
    } else if (in.wanted > 0) {
      look(in.wanted);
    }
    want(in);
    if (outs_[in.out].firings > timelines_[in.source].fired) ++timeline.missing;
  }
  Entry end = start;
  if (timeline.has_cost) {
    end.time += static_cast<Time>(timeline.cost.value()) * scale;
    timeline.cost.next();
  }
  if constexpr (recording) {
    const auto index = first_firing_[at] + static_cast<std::uint32_t>(timeline.fired);
    records_[index] = {start.time, start.by,
                       through < Record::by_start ? link_of_[through] : through};
    start.by = end.by = static_cast<Node>(boundaries_.size()) + index;
  }
  if (!serial) timeline.start = start;
  if (timeline.overlap == Overlap::in_order && end.time < timeline.end.time) end = timeline.end;
  timeline.end = end;
  if (timeline.fired - timeline.oldest > timeline.mask) make_room(timeline);
  timeline.ring[timeline.fired & timeline.mask] = end;
  const auto fired = ++timeline.fired;
  for (auto o = timeline.first_out; o < timeline.last_out; ++o) {
    if (outs_[o].firings != fired) continue;
    auto& waiter = timelines_[outs_[o].waiter];
    if (--waiter.missing > 0 || waiter.is_ready) continue;
    waiter.is_ready = true;
    ready_.push_back(outs_[o].waiter);
  }
}

// What the next iteration finds in the place of this boundary.
template <typename Time>
typename TokenWalk<Time>::Left TokenWalk<Time>::left_at(const In& in,
                                                        std::uint32_t boundary) const {
  const auto& source = timelines_[in.source];
  const auto firing = source.firings - boundary_back_[boundary];
  if (firing >= 0) {
    const auto& entry = source.ring[firing & source.mask];
    return {entry.time, entry.by};
  }
  // It was put in before this iteration, too: one iteration nearer to the end.
  const auto begin = boundary_back_.begin() + in.first_boundary;
  const auto same = std::lower_bound(begin, begin + in.boundaries, -firing, std::greater<>());
  const auto b = in.first_boundary + static_cast<std::uint32_t>(same - begin);
  return {before_[b], b};
}

template <typename Time>
template <bool recording>
bool TokenWalk<Time>::run(const std::vector<Time>& before, std::int64_t scale,
                          std::vector<Left>& after) {
  reset(before);
  if constexpr (recording) {
    first_firing_.clear();
    std::int64_t firings = 0;
    for (const auto& t : component_.timelines) {
      first_firing_.push_back(static_cast<std::uint32_t>(firings));
      firings += t.firings;
    }
    records_.resize(static_cast<std::size_t>(firings));
  }
  // The last that became ready fires first: what was sent is soon taken, and rings stay short.
  while (!ready_.empty()) {
    const auto at = ready_.back();
    auto& timeline = timelines_[at];
    const auto ready = ready_.size();
    // What it makes ready comes on top of it.
    while (timeline.fired < timeline.firings && timeline.missing == 0 && ready_.size() == ready) {
      fire<recording>(at, scale);
    }
    if (ready_.size() > ready) continue;
    timeline.is_ready = false;
    ready_.pop_back();
  }
  after.resize(boundaries_.size());
  for (const auto& timeline : timelines_) {
    if (timeline.fired < timeline.firings) return false;
    if (timeline.end_boundary != UINT32_MAX) {
      after[timeline.end_boundary] = {timeline.end.time, timeline.end.by};
    }
    if (timeline.start_boundary != UINT32_MAX) {
      after[timeline.start_boundary] = {timeline.start.time, timeline.start.by};
    }
  }
  for (const auto& in : ins_) {
    for (std::int64_t e = 0; e < in.boundaries; ++e) {
      const auto b = in.first_boundary + static_cast<std::uint32_t>(e);
      after[b] = left_at(in, b);
    }
  }
  return true;
}

template <typename Time>
bool TokenWalk<Time>::walk(const std::vector<Time>& before, std::int64_t scale,
                           std::vector<Left>& after) {
  return run<false>(before, scale, after);
}

template <typename Time>
bool TokenWalk<Time>::record(const std::vector<Time>& before, std::int64_t scale,
                             std::vector<Left>& after) {
  return run<true>(before, scale, after);
}

template class TokenWalk<std::int64_t>;
template class TokenWalk<Int128>;

}  // namespace antiphon::analysis
