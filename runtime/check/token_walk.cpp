#include "check/token_walk.hpp"

#include "base/int128.hpp"

#include <algorithm>
#include <numeric>

namespace antiphon::analysis {

namespace {

constexpr std::uint32_t nobody = UINT32_MAX;

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
  begin_ = runs.data();
  end_ = begin_ + runs.size();
  at_ = begin_;
  left_ = INT64_MAX;
  if (runs.size() == 1) return;
  auto phase = (firing - sequence.initial_phases()) % sequence.phases();
  while (phase >= at_->count) phase -= (at_++)->count;
  left_ = at_->count - phase;
}

template <typename Time>
void TokenWalk<Time>::Queue::push(Time time, std::int64_t count, Node by) {
  held += count;
  if (tail != head) {
    auto& last = runs[(tail - 1) & mask()];
    if (last.time == time && last.by == by) {
      last.count += count;
      return;
    }
  }
  if (tail - head == runs.size()) {
    std::vector<Run> larger(runs.size() * 2);
    for (std::size_t i = head; i < tail; ++i) larger[i - head] = runs[i & mask()];
    tail -= head;
    head = 0;
    runs.swap(larger);
  }
  runs[tail++ & mask()] = {time, count, by};
}

template <typename Time>
TokenWalk<Time>::TokenWalk(const TimedComponent& component) : component_(component) {
  const auto n = component.timelines.size();
  timelines_.resize(n + 1);
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
  for (const auto& link : component.links) {
    ++timelines_[link.waiter + 1].first_in;
    ++timelines_[link.source + 1].first_out;
  }
  for (std::size_t t = 0; t < n; ++t) {
    timelines_[t + 1].first_in += timelines_[t].first_in;
    timelines_[t + 1].first_out += timelines_[t].first_out;
  }
  in_.resize(component.links.size());
  out_.resize(component.links.size());
  queues_.resize(component.links.size());
  std::vector<std::uint32_t> in_at(n);
  std::vector<std::uint32_t> out_at(n);
  for (std::size_t t = 0; t < n; ++t) {
    in_at[t] = timelines_[t].first_in;
    out_at[t] = timelines_[t].first_out;
  }
  for (std::uint32_t i = 0; i < component.links.size(); ++i) {
    const auto& link = component.links[i];
    in_[in_at[link.waiter]++] = i;
    out_[out_at[link.source]++] = i;
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
    timeline.held_by = nobody;
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
  for (std::uint32_t i = 0; i < component_.links.size(); ++i) {
    const auto& link = component_.links[i];
    auto& queue = queues_[i];
    queue.head = queue.tail = 0;
    queue.held = 0;
    queue.gain.seek(*link.gain, component_.timelines[link.source].start);
    queue.need.seek(*link.need, component_.timelines[link.waiter].start);
    for (auto b = first_boundary_[i]; b < first_boundary_[i + 1]; ++b) {
      queue.push(before[b], boundary_count_[b], b);
    }
  }
}

template <typename Time>
bool TokenWalk<Time>::can_fire(std::uint32_t at) {
  auto& timeline = timelines_[at];
  for (auto i = timeline.first_in; i < timelines_[at + 1].first_in; ++i) {
    const auto& queue = queues_[in_[i]];
    if (queue.held < queue.need.value()) {
      timeline.held_by = in_[i];
      return false;
    }
  }
  return true;
}

template <typename Time>
template <bool recording>
void TokenWalk<Time>::fire(std::uint32_t at, std::int64_t scale) {
  auto& timeline = timelines_[at];
  const bool serial = timeline.overlap == Overlap::serial;
  Time start = serial ? timeline.end : timeline.start;
  Node by = serial ? timeline.end_by : timeline.start_by;
  std::uint32_t through = serial ? Record::by_end : Record::by_start;
  for (auto i = timeline.first_in; i < timelines_[at + 1].first_in; ++i) {
    auto& queue = queues_[in_[i]];
    auto need = queue.need.value();
    queue.need.next();
    queue.held -= need;
    while (need > 0) {
      auto& run = queue.runs[queue.head & queue.mask()];
      if (run.time > start) {
        start = run.time;
        by = run.by;
        through = in_[i];
      }
      if (run.count > need) {
        run.count -= need;
        break;
      }
      need -= run.count;
      ++queue.head;
    }
  }
  Time end = start;
  if (timeline.has_cost) {
    end += static_cast<Time>(timeline.cost.value()) * scale;
    timeline.cost.next();
  }
  if constexpr (recording) {
    const auto index = first_firing_[at] +
                       static_cast<std::uint32_t>(component_.timelines[at].firings - timeline.left);
    records_[index] = {start, by, through};
    by = static_cast<Node>(boundaries_.size()) + index;
  }
  if (!serial) {
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
  } else {
    timeline.end = end;
    timeline.end_by = by;
  }
  --timeline.left;
  for (auto o = timeline.first_out; o < timelines_[at + 1].first_out; ++o) {
    auto& queue = queues_[out_[o]];
    const auto gain = queue.gain.value();
    queue.gain.next();
    if (gain == 0) continue;
    queue.push(end, gain, by);
    const auto waiter = component_.links[out_[o]].waiter;
    if (timelines_[waiter].held_by == out_[o] && queue.held >= queue.need.value()) {
      timelines_[waiter].held_by = nobody;
      ready_.push_back(waiter);
    }
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
    if (timelines_[at].left == 0 || !can_fire(at)) {
      // What it put on top of itself is gone, so it is the top.
      ready_.pop_back();
      continue;
    }
    fire<recording>(at, scale);
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
  for (std::uint32_t i = 0; i < component_.links.size(); ++i) {
    auto& queue = queues_[i];
    std::int64_t left = queue.head == queue.tail ? 0 : queue.runs[queue.head & queue.mask()].count;
    for (auto b = first_boundary_[i]; b < first_boundary_[i + 1]; ++b) {
      const auto& run = queue.runs[queue.head & queue.mask()];
      after[b] = {run.time, run.by};
      left -= boundary_count_[b];
      if (left > 0) continue;
      ++queue.head;
      if (queue.head != queue.tail) left = queue.runs[queue.head & queue.mask()].count;
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
