// A graph run in time, every firing as early as it can be, until it repeats itself: the oracle of
// the throughput.
#pragma once

#include "check/plain_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace antiphon {

struct PlainPeriod {
  std::int64_t time = 0;
  std::int64_t iterations = 1;
};

// A part of a graph whose actors all wait for each other, around. Links to others are left out.
class SelfTimed {
 public:
  // `firings`: of each of the graph's actors in an iteration.
  SelfTimed(const PlainGraph& graph, std::vector<std::size_t> members,
            const std::vector<std::int64_t>& firings)
      : graph_(graph), members_(std::move(members)), firings_(firings) {
    const auto in = [&](std::size_t a) {
      return std::find(members_.begin(), members_.end(), a) != members_.end();
    };
    for (std::size_t l = 0; l < graph.links.size(); ++l) {
      const auto& link = graph.links[l];
      // What moves nothing in the long run holds nothing up in the long run.
      if (!in(link.writer) || !in(link.reader) || !link.moves()) continue;
      links_.push_back(l);
      queues_.emplace_back();
      queues_.back().data.put(link.initial, 0);
      queues_.back().space.put(link.capacity - link.initial, 0);
    }
    fired_.assign(members_.size(), 0);
    started_.assign(members_.size(), 0);
    published_.resize(members_.size());
    for (std::size_t m = 0; m < members_.size(); ++m) {
      published_[m].assign(static_cast<std::size_t>(actor(m).concurrency), 0);
    }
  }

  // Nothing when it does not repeat itself within so many iterations, or sticks.
  std::optional<PlainPeriod> run(std::int64_t most_iterations) {
    // Firings that wait for nothing: as many as one likes at once.
    if (links_.empty() && actor(0).concurrency == 0) return PlainPeriod{};
    std::vector<std::int64_t> kept;
    std::int64_t kept_iteration = 0;
    std::int64_t kept_now = 0;
    std::int64_t next_kept = 1;
    const auto each = firings_[members_[0]];
    for (std::int64_t iteration = 1; iteration <= most_iterations; ++iteration) {
      while (fired_[0] < actor(0).once + iteration * each) {
        if (!step()) return std::nullopt;
      }
      auto now = state();
      if (now == kept) {
        const auto iterations = iteration - kept_iteration;
        const auto common = std::gcd(now_ - kept_now, iterations);
        return PlainPeriod{(now_ - kept_now) / common, iterations / common};
      }
      if (iteration == next_kept) {
        kept = std::move(now);
        kept_iteration = iteration;
        kept_now = now_;
        next_kept *= 2;
      }
    }
    return std::nullopt;
  }

 private:
  // Messages or room, in order, each there from a time on.
  struct Queue {
    std::deque<std::pair<std::int64_t, std::int64_t>> runs;  // how many, from when
    std::int64_t count = 0;

    void put(std::int64_t n, std::int64_t time) {
      if (n == 0) return;
      runs.emplace_back(n, time);
      count += n;
    }
    // When the first n are there.
    std::int64_t ready(std::int64_t n) const {
      std::int64_t time = 0;
      for (std::size_t i = 0; n > 0; ++i) {
        time = std::max(time, runs[i].second);
        n -= runs[i].first;
      }
      return time;
    }
    void take(std::int64_t n) {
      count -= n;
      while (n > 0) {
        const auto part = std::min(n, runs.front().first);
        n -= part;
        if ((runs.front().first -= part) == 0) runs.pop_front();
      }
    }
  };
  struct Queues {
    Queue data;
    Queue space;
  };

  const PlainGraph::Actor& actor(std::size_t m) const { return graph_.actors[members_[m]]; }

  // When the next firing can start; nothing while something that it needs has not even been
  // started.
  std::optional<std::int64_t> start_of(std::size_t m) const {
    auto time = started_[m];
    if (!published_[m].empty()) time = std::max(time, published_[m].front());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& link = graph_.links[links_[i]];
      if (link.reader == members_[m]) {
        const auto n = link.taken.at(fired_[m]);
        if (queues_[i].data.count < n) return std::nullopt;
        time = std::max(time, queues_[i].data.ready(n));
      }
      if (link.writer == members_[m] && link.capacity > 0) {
        const auto n = link.sent.at(fired_[m]);
        if (queues_[i].space.count < n) return std::nullopt;
        time = std::max(time, queues_[i].space.ready(n));
      }
    }
    return time;
  }

  // The earliest start of all: starts then come in the order of time.
  bool step() {
    std::size_t first = members_.size();
    std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const auto time = start_of(m);
      if (time && *time < earliest) {
        earliest = *time;
        first = m;
      }
    }
    if (first == members_.size()) return false;
    now_ = earliest;
    const auto n = fired_[first]++;
    started_[first] = now_;
    auto known = now_ + actor(first).cost.at(n);
    auto& published = published_[first];
    if (!published.empty()) {
      // Who overlaps itself only so far tells others of its firings in order.
      known = std::max(known, published.back());
      published.pop_front();
      published.push_back(known);
    }
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto& link = graph_.links[links_[i]];
      auto& queues = queues_[i];
      if (link.reader == members_[first]) queues.data.take(link.taken.at(n));
      if (link.writer == members_[first] && link.capacity > 0) queues.space.take(link.sent.at(n));
      if (link.writer == members_[first]) queues.data.put(link.sent.at(n), known);
      if (link.reader == members_[first] && link.capacity > 0) {
        queues.space.put(link.taken.at(n), known);
      }
    }
    return true;
  }

  // All that what comes next depends on; what is past is all the same.
  std::vector<std::int64_t> state() const {
    std::vector<std::int64_t> result;
    const auto ahead = [&](std::int64_t time) { return std::max<std::int64_t>(time - now_, 0); };
    for (std::size_t m = 0; m < members_.size(); ++m) {
      const auto& a = actor(m);
      result.push_back(fired_[m] < a.once ? fired_[m] : a.once + (fired_[m] - a.once) % a.cycle);
      for (const auto time : published_[m]) result.push_back(ahead(time));
    }
    for (const auto& queues : queues_) {
      for (const auto* queue : {&queues.data, &queues.space}) {
        std::int64_t last = -1;
        for (const auto& [n, time] : queue->runs) {
          if (ahead(time) == last) {
            result.back() += n;
          } else {
            last = ahead(time);
            result.push_back(last);
            result.push_back(n);
          }
        }
        result.push_back(-1);
      }
    }
    return result;
  }

  const PlainGraph& graph_;
  std::vector<std::size_t> members_;
  const std::vector<std::int64_t>& firings_;
  std::vector<std::size_t> links_;
  std::vector<Queues> queues_;                       // per link
  std::vector<std::int64_t> fired_;                  // per member
  std::vector<std::int64_t> started_;                // the last one
  std::vector<std::deque<std::int64_t>> published_;  // the last ones, as many as may overlap
  std::int64_t now_ = 0;
};

// Of the slowest part; nothing as above.
inline std::optional<PlainPeriod> self_timed_period(const PlainGraph& graph,
                                                    const std::vector<std::int64_t>& firings,
                                                    std::int64_t most_iterations) {
  const auto n = graph.actors.size();
  std::vector<std::vector<bool>> waits(n, std::vector<bool>(n, false));
  for (std::size_t a = 0; a < n; ++a) waits[a][a] = true;
  for (const auto& link : graph.links) {
    if (!link.moves()) continue;
    waits[link.reader][link.writer] = true;
    if (link.capacity > 0) waits[link.writer][link.reader] = true;
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (waits[a][via] && waits[via][b]) waits[a][b] = true;
      }
    }
  }
  PlainPeriod slowest;
  std::vector<bool> done(n, false);
  for (std::size_t a = 0; a < n; ++a) {
    if (done[a]) continue;
    std::vector<std::size_t> members;
    for (auto b = a; b < n; ++b) {
      if (!waits[a][b] || !waits[b][a]) continue;
      done[b] = true;
      members.push_back(b);
    }
    const auto period = SelfTimed(graph, members, firings).run(most_iterations);
    if (!period) return std::nullopt;
    if (period->time * slowest.iterations > slowest.time * period->iterations) slowest = *period;
  }
  return slowest;
}

}  // namespace antiphon
