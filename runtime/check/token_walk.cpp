#include "check/token_walk.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace antiphon::analysis {

namespace {

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
  const auto& runs = sequence.periodic_runs();
  begin = at = runs.data();
  end = begin + runs.size();
  left = std::numeric_limits<std::int64_t>::max();
  if (runs.size() > 1) {
    auto phase = (firing - sequence.initial_phases()) % sequence.phases();
    while (phase >= at->count) phase -= (at++)->count;
    left = at->count - phase;
  }
  value = at->value;
}

template <typename Time>
void TokenWalk<Time>::Cursor::turn() noexcept {
  if (++at == end) at = begin;
  left = at->count;
  value = at->value;
}

template <typename Time>
void TokenWalk<Time>::Queue::clear() {
  if (runs.empty()) grow();
  head = tail = 0;
  held = 0;
}

template <typename Time>
void TokenWalk<Time>::Queue::grow() {
  std::vector<Run> larger(std::max<std::size_t>(runs.size() * 2, 8));
  for (auto i = head; i != tail; ++i) larger[i - head] = runs[i & mask];
  tail -= head;
  head = 0;
  runs.swap(larger);
  ring = runs.data();
  mask = static_cast<std::uint32_t>(runs.size() - 1);
}

template <typename Time>
inline void TokenWalk<Time>::Queue::push(Time time, std::int64_t count, Node by) {
  held += count;
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  do {
    const auto part = std::min(count, most);
    if (tail - head > mask) grow();
    ring[tail++ & mask] = {time, by, static_cast<std::uint32_t>(part)};
    count -= part;
  } while (count > 0);
}

template <typename Time>
TokenWalk<Time>::TokenWalk(const TimedComponent& component) : component_(component) {
  const auto n = component.timelines.size();
  timelines_.resize(n);
  for (std::uint32_t t = 0; t < n; ++t) {
    const auto& timed = component.timelines[t];
    auto& timeline = timelines_[t];
    timeline.overlap = timed.overlap;
    timeline.has_cost = timed.cost != nullptr;
    const auto add = [&] {
      boundaries_.push_back({1});
      boundary_count_.push_back(0);
      return static_cast<std::uint32_t>(boundaries_.size() - 1);
    };
    if (timed.overlap != Overlap::unordered) timeline.end_boundary = add();
    if (timed.overlap != Overlap::serial) timeline.start_boundary = add();
  }
  const auto count = static_cast<std::uint32_t>(component.links.size());
  for (std::uint32_t i = 0; i < count; ++i) link_of_.push_back(i);
  std::stable_sort(link_of_.begin(), link_of_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return component.links[a].waiter < component.links[b].waiter;
  });
  queues_.resize(count);
  for (std::uint32_t q = 0; q < count; ++q) {
    const auto& link = component.links[link_of_[q]];
    queues_[q].waiter = link.waiter;
    out_.push_back(q);
    ++timelines_[link.waiter].last_in;
    ++timelines_[link.source].last_out;
  }
  std::stable_sort(out_.begin(), out_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return component.links[link_of_[a]].source < component.links[link_of_[b]].source;
  });
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  for (auto& timeline : timelines_) {
    timeline.first_in = std::exchange(in, in + timeline.last_in);
    timeline.last_in = in;
    timeline.first_out = std::exchange(out, out + timeline.last_out);
    timeline.last_out = out;
  }
  for (const auto i : link_of_) {
    const auto& link = component.links[i];
    first_boundary_.push_back(static_cast<std::uint32_t>(boundaries_.size()));
    const auto start = component.timelines[link.source].start;
    std::int64_t left = link.held;
    for (std::int64_t back = 1; left > 0; ++back) {
      const auto put = std::min(left, gain_back(*link.gain, start, back));
      if (put == 0) continue;
      boundaries_.push_back({link.lag + 1});
      boundary_count_.push_back(put);
      left -= put;
    }
    // The oldest come first.
    std::reverse(boundaries_.begin() + first_boundary_.back(), boundaries_.end());
    std::reverse(boundary_count_.begin() + first_boundary_.back(), boundary_count_.end());
  }
  first_boundary_.push_back(static_cast<std::uint32_t>(boundaries_.size()));
}

template <typename Time>
void TokenWalk<Time>::reset(const std::vector<Time>& before) {
  const auto n = component_.timelines.size();
  ready_.clear();
  for (std::uint32_t t = 0; t < n; ++t) {
    const auto& timed = component_.timelines[t];
    auto& timeline = timelines_[t];
    if (timed.cost != nullptr) timeline.cost.seek(*timed.cost, timed.start);
    timeline.left = timed.firings;
    timeline.missing = 0;
    timeline.is_ready = true;
    if (timeline.end_boundary != UINT32_MAX) {
      timeline.end = before[timeline.end_boundary];
      timeline.end_by = timeline.end_boundary;
    }
    if (timeline.start_boundary != UINT32_MAX) {
      timeline.start = before[timeline.start_boundary];
      timeline.start_by = timeline.start_boundary;
    }
    ready_.push_back(t);
  }
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    const auto& link = component_.links[link_of_[q]];
    auto& queue = queues_[q];
    queue.clear();
    queue.gain.seek(*link.gain, component_.timelines[link.source].start);
    queue.need.seek(*link.need, component_.timelines[link.waiter].start);
    for (auto b = first_boundary_[q]; b < first_boundary_[q + 1]; ++b) {
      queue.push(before[b], boundary_count_[b], b);
    }
    if (queue.held < queue.need.value) ++timelines_[queue.waiter].missing;
  }
}

template <typename Time>
template <bool recording>
inline void TokenWalk<Time>::fire(std::uint32_t at, std::int64_t scale) {
  auto& timeline = timelines_[at];
  const bool serial = timeline.overlap == Overlap::serial;
  Time start = serial ? timeline.end : timeline.start;
  Node by = serial ? timeline.end_by : timeline.start_by;
  std::uint32_t through = serial ? Record::by_end : Record::by_start;
  for (auto q = timeline.first_in; q < timeline.last_in; ++q) {
    auto& queue = queues_[q];
    auto need = queue.need.value;
    queue.need.next();
    queue.held -= need;
    while (need > 0) {
      auto& run = queue.ring[queue.head & queue.mask];
      if (run.time > start) {
        start = run.time;
        by = run.by;
        through = q;
      }
      if (run.count > need) {
        run.count -= static_cast<std::uint32_t>(need);
        break;
      }
      need -= run.count;
      ++queue.head;
    }
    if (queue.held < queue.need.value) ++timeline.missing;
  }
  Time end = start;
  if (timeline.has_cost) {
    end += static_cast<Time>(timeline.cost.value) * scale;
    timeline.cost.next();
  }
  if constexpr (recording) {
    const auto index = first_firing_[at] +
                       static_cast<std::uint32_t>(component_.timelines[at].firings - timeline.left);
    const bool along_link = through < Record::by_start;
    records_[index] = {start, by, along_link ? link_of_[through] : through};
    by = static_cast<Node>(boundaries_.size()) + index;
  }
  if (serial) {
    timeline.end = end;
    timeline.end_by = by;
  } else {
    timeline.start = start;
    timeline.start_by = by;
    if (timeline.overlap == Overlap::in_order) {
      if (end < timeline.end) {
        end = timeline.end;
        by = timeline.end_by;
      } else {
        timeline.end = end;
        timeline.end_by = by;
      }
    }
  }
  --timeline.left;
  for (auto o = timeline.first_out; o < timeline.last_out; ++o) {
    const auto q = out_[o];
    auto& queue = queues_[q];
    const auto gain = queue.gain.value;
    queue.gain.next();
    if (gain == 0) continue;
    const bool missing = queue.held < queue.need.value;
    queue.push(end, gain, by);
    if (!missing || queue.held < queue.need.value) continue;
    auto& waiter = timelines_[queue.waiter];
    if (--waiter.missing > 0 || waiter.is_ready) continue;
    waiter.is_ready = true;
    ready_.push_back(queue.waiter);
  }
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
  // The last that became ready fires first: what was sent is soon taken, and queues stay short.
  while (!ready_.empty()) {
    const auto at = ready_.back();
    auto& timeline = timelines_[at];
    const auto ready = ready_.size();
    // What it makes ready comes on top of it.
    while (timeline.left > 0 && timeline.missing == 0 && ready_.size() == ready) {
      fire<recording>(at, scale);
    }
    if (ready_.size() > ready) continue;
    timeline.is_ready = false;
    ready_.pop_back();
  }
  after.resize(boundaries_.size());
  for (std::size_t t = 0; t < component_.timelines.size(); ++t) {
    const auto& timeline = timelines_[t];
    if (timeline.left > 0) return false;
    if (timeline.end_boundary != UINT32_MAX) {
      after[timeline.end_boundary] = {timeline.end, timeline.end_by};
    }
    if (timeline.start_boundary != UINT32_MAX) {
      after[timeline.start_boundary] = {timeline.start, timeline.start_by};
    }
  }
  for (std::uint32_t q = 0; q < queues_.size(); ++q) {
    auto& queue = queues_[q];
    std::int64_t left = 0;  // of the run at the head
    for (auto b = first_boundary_[q]; b < first_boundary_[q + 1]; ++b) {
      if (left == 0) left = queue.ring[queue.head & queue.mask].count;
      const auto& first = queue.ring[queue.head & queue.mask];
      after[b] = {first.time, first.by};
      // The messages of one boundary are those of one firing: more runs than one only where there
      // are more of them than a run can count.
      for (auto count = boundary_count_[b]; count > 0;) {
        if (left == 0) left = queue.ring[queue.head & queue.mask].count;
        const auto part = std::min(count, left);
        count -= part;
        left -= part;
        if (left == 0) ++queue.head;
      }
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
