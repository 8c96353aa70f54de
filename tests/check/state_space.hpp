// All that a graph can do, state by state: every order of its firings, and nothing taken for
// granted of them, not even that they do not disable each other.
#pragma once

#include "check/plain_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace antiphon {

struct AllStates {
  std::size_t states = 0;
  // Parts of the states that are never left again once they are reached.
  std::size_t ends = 0;
  // Every actor fires again in each of those.
  bool lives = false;
};

// What counts as one step.
enum class Steps {
  firings,          // from start to end at once
  starts_and_ends,  // firings overlap, as far as concurrency allows
};

class StateSpace {
 public:
  // REQUIRES: each channel has a capacity; each actor a concurrency, for starts_and_ends.
  StateSpace(const PlainGraph& graph, Steps steps) : graph_(graph), steps_(steps) {
    const bool split = steps == Steps::starts_and_ends;
    for (const auto& link : graph.links) {
      add_field(link.capacity);
      if (split) add_field(link.capacity);
    }
    for (const auto& actor : graph.actors) {
      add_field(actor.once + actor.cycle - 1);
      if (!split) continue;
      add_field(actor.once + actor.cycle - 1);
      add_field(actor.concurrency);
    }
  }

  // Nothing when there are more states than that.
  std::optional<AllStates> explore(std::size_t most) {
    if (word_ > 1) return std::nullopt;
    Values first(fields_.size(), 0);
    std::size_t f = 0;
    for (const auto& link : graph_.links) {
      first[f++] = link.initial;
      if (steps_ == Steps::starts_and_ends) first[f++] = link.capacity - link.initial;
    }
    id_of(pack(first));
    const auto actors = graph_.actors.size();
    Values now(fields_.size());
    Values next;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      arcs_from_.push_back(arcs_.size());
      unpack(states_[s], now);
      for (std::size_t a = 0; a < actors; ++a) {
        if (steps_ == Steps::firings) {
          next = now;
          if (fire(a, next)) arcs_.push_back({id_of(pack(next)), a});
        } else {
          next = now;
          if (start(a, next)) arcs_.push_back({id_of(pack(next)), actors});
          next = now;
          if (end(a, next)) arcs_.push_back({id_of(pack(next)), a});
        }
      }
      if (states_.size() > most) return std::nullopt;
    }
    arcs_from_.push_back(arcs_.size());
    return judge();
  }

 private:
  using Key = std::array<std::uint64_t, 2>;
  using Values = std::vector<std::int64_t>;
  struct Field {
    std::size_t word;
    int shift;
    std::uint64_t mask;
  };
  struct Arc {
    std::uint32_t to;
    std::size_t fired;  // the actor; none: their number
  };

  void add_field(std::int64_t most) {
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
    if (bits == 0) {
      fields_.push_back({0, 0, 0});  // always 0: it takes no room
      return;
    }
    if (bit_ + bits > 64) {
      ++word_;
      bit_ = 0;
    }
    fields_.push_back({word_, bit_, (std::uint64_t{1} << bits) - 1});
    bit_ += bits;
  }
  Key pack(const Values& values) const {
    Key key{};
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      key[fields_[f].word] |= static_cast<std::uint64_t>(values[f]) << fields_[f].shift;
    }
    return key;
  }
  void unpack(const Key& key, Values& values) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      values[f] =
          static_cast<std::int64_t>((key[fields_[f].word] >> fields_[f].shift) & fields_[f].mask);
    }
  }

  static std::int64_t after(const PlainGraph::Actor& actor, std::int64_t position) {
    return position + 1 < actor.once + actor.cycle ? position + 1 : actor.once;
  }

  bool fire(std::size_t a, Values& values) const {
    auto& position = values[graph_.links.size() + a];
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a && values[l] < link.taken.at(position)) return false;
      // Space is claimed before what is taken is given back.
      if (link.writer == a && values[l] + link.sent.at(position) > link.capacity) return false;
    }
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a) values[l] -= link.taken.at(position);
      if (link.writer == a) values[l] += link.sent.at(position);
    }
    position = after(graph_.actors[a], position);
    return true;
  }

  // Fields of an actor: the phase that starts next, the one that ends next, how many are between.
  std::int64_t* of_actor(std::size_t a, Values& values) const {
    return &values[2 * graph_.links.size() + 3 * a];
  }
  bool start(std::size_t a, Values& values) const {
    auto* const mine = of_actor(a, values);
    if (mine[2] == graph_.actors[a].concurrency) return false;
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a && (values[2 * l] -= link.taken.at(mine[0])) < 0) return false;
      if (link.writer == a && (values[2 * l + 1] -= link.sent.at(mine[0])) < 0) return false;
    }
    mine[0] = after(graph_.actors[a], mine[0]);
    ++mine[2];
    return true;
  }
  bool end(std::size_t a, Values& values) const {
    auto* const mine = of_actor(a, values);
    if (mine[2] == 0) return false;
    for (std::size_t l = 0; l < graph_.links.size(); ++l) {
      const auto& link = graph_.links[l];
      if (link.reader == a) values[2 * l + 1] += link.taken.at(mine[1]);
      if (link.writer == a) values[2 * l] += link.sent.at(mine[1]);
    }
    mine[1] = after(graph_.actors[a], mine[1]);
    --mine[2];
    return true;
  }

  std::uint32_t id_of(const Key& key) {
    if (2 * (states_.size() + 1) > slots_.size()) {
      slots_.assign(std::max<std::size_t>(1024, 4 * slots_.size()), 0);
      for (std::uint32_t i = 0; i < states_.size(); ++i) slots_[slot(states_[i])] = i + 1;
    }
    auto& found = slots_[slot(key)];
    if (found == 0) {
      states_.push_back(key);
      found = static_cast<std::uint32_t>(states_.size());
    }
    return found - 1;
  }
  std::size_t slot(const Key& key) const {
    auto at = (key[0] * 0x9E3779B97F4A7C15U) ^ ((key[1] + 1) * 0xC2B2AE3D27D4EB4FU);
    at ^= at >> 29U;
    auto i = static_cast<std::size_t>(at) & (slots_.size() - 1);
    while (slots_[i] != 0 && states_[slots_[i] - 1] != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  // Tarjan's components: those without an arc out are the ends.
  AllStates judge() const {
    AllStates result;
    result.states = states_.size();
    result.lives = true;
    const auto n = states_.size();
    constexpr std::uint32_t unseen = UINT32_MAX;
    std::vector<std::uint32_t> number(n, unseen);
    std::vector<std::uint32_t> low(n, 0);
    std::vector<std::uint32_t> component(n, unseen);
    std::vector<std::uint32_t> open;
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{0, arcs_from_[0]}};
    std::uint32_t count = 0;
    while (!path.empty()) {
      auto& [state, arc] = path.back();
      if (number[state] == unseen) {
        number[state] = low[state] = count++;
        open.push_back(state);
      }
      if (arc < arcs_from_[state + 1]) {
        const auto to = arcs_[arc++].to;
        if (number[to] == unseen) {
          path.emplace_back(to, arcs_from_[to]);
        } else if (component[to] == unseen) {
          low[state] = std::min(low[state], number[to]);
        }
        continue;
      }
      const auto done = state;
      path.pop_back();
      if (!path.empty()) low[path.back().first] = std::min(low[path.back().first], low[done]);
      if (low[done] != number[done]) continue;
      const auto from = std::find(open.rbegin(), open.rend(), done).base() - 1;
      for (auto i = from; i != open.end(); ++i) component[*i] = done;
      bool left = false;
      std::vector<bool> fires(graph_.actors.size() + 1, false);
      for (auto i = from; i != open.end(); ++i) {
        for (auto x = arcs_from_[*i]; x < arcs_from_[*i + 1]; ++x) {
          if (component[arcs_[x].to] != done) left = true;
          fires[arcs_[x].fired] = true;
        }
      }
      open.erase(from, open.end());
      if (left) continue;
      ++result.ends;
      fires.pop_back();
      if (std::find(fires.begin(), fires.end(), false) != fires.end()) result.lives = false;
    }
    return result;
  }

  const PlainGraph& graph_;
  Steps steps_;
  std::vector<Field> fields_;
  std::size_t word_ = 0;
  int bit_ = 0;
  std::vector<Key> states_;
  std::vector<std::uint32_t> slots_;  // state + 1; 0: free
  std::vector<Arc> arcs_;
  std::vector<std::size_t> arcs_from_;
};

}  // namespace antiphon
