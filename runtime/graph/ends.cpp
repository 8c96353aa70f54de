#include "graph/ends.hpp"

#include "base/prefetch.hpp"

#include <bit>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace antiphon {

namespace {

// Names are looked up in any order, and in a large model hardly one is in a cache: each step is
// done for all ends before the next one, and asks early for the memory of those to come.
constexpr std::size_t ahead = 16;

// Actors by name: open addressing, half empty.
class ActorTable {
 public:
  ActorTable(const std::vector<ActorModel>& actors, std::vector<std::uint32_t>& first_of_name)
      : actors_(actors), slots_(std::bit_ceil(2 * actors.size() + 1)) {
    first_of_name.resize(actors.size());
    for (std::uint32_t a = 0; a < actors.size(); ++a) {
      const auto hash = hash_of(actors[a].name);
      auto& slot = find(hash, actors[a].name);
      if (slot.actor == Ends::none) slot = {tag(hash), a};
      first_of_name[a] = slot.actor;
    }
  }

  static std::size_t hash_of(std::string_view name) { return std::hash<std::string_view>()(name); }
  void ask_for_slot(std::size_t hash) const { ask_for(&slots_[hash & (slots_.size() - 1)]); }
  // An actor that may be it, for those who would ask for its memory.
  std::uint32_t likely(std::size_t hash) const { return slots_[hash & (slots_.size() - 1)].actor; }
  std::uint32_t find_actor(std::size_t hash, std::string_view name) {
    return find(hash, name).actor;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t actor = Ends::none;
  };

  static std::uint32_t tag(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }
  // The slot with this name, or the one that it would take.
  Slot& find(std::size_t hash, std::string_view name) {
    for (auto at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      auto& slot = slots_[at];
      if (slot.actor == Ends::none) return slot;
      if (slot.tag == tag(hash) && actors_[slot.actor].name == name) return slot;
    }
  }

  const std::vector<ActorModel>& actors_;
  std::vector<Slot> slots_;
};

// Few ports are found fastest one by one; an actor with very many must not make it quadratic.
class PortFinder {
 public:
  explicit PortFinder(const std::vector<ActorModel>& actors) : actors_(actors) {}

  std::uint32_t find(std::uint32_t actor, std::string_view name) {
    constexpr std::size_t few = 16;
    const auto& ports = actors_[actor].ports;
    if (ports.size() <= few) {
      for (std::uint32_t p = 0; p < ports.size(); ++p) {
        if (ports[p].name == name) return p;
      }
      return Ends::none;
    }
    auto& by_name = many_[actor];
    if (by_name.empty()) {
      for (std::uint32_t p = 0; p < ports.size(); ++p) by_name.emplace(ports[p].name, p);
    }
    const auto found = by_name.find(name);
    return found == by_name.end() ? Ends::none : found->second;
  }

 private:
  const std::vector<ActorModel>& actors_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, std::uint32_t>> many_;
};

}  // namespace

Ends::Ends(const GraphModel& model) {
  const auto& actors = model.actors;
  ActorTable table(actors, first_of_name_);
  std::vector<const Endpoint*> names;
  first_.reserve(model.channels.size());
  for (const auto& channel : model.channels) {
    first_.push_back(names.size());
    names.push_back(&channel.from);
    for (const auto& to : channel.to) names.push_back(&to);
  }
  const auto count = names.size();
  ends_.resize(count);
  std::vector<std::size_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + ahead < count) ask_for(names[i + ahead]);
    hashes[i] = ActorTable::hash_of(names[i]->actor);
    table.ask_for_slot(hashes[i]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 2 * ahead < count) table.ask_for_slot(hashes[i + 2 * ahead]);
    if (i + ahead < count) {
      const auto next = table.likely(hashes[i + ahead]);
      if (next != none) ask_for(&actors[next]);
      ask_for(names[i + ahead]);
    }
    ends_[i].actor = table.find_actor(hashes[i], names[i]->actor);
  }
  PortFinder ports(actors);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 2 * ahead < count && ends_[i + 2 * ahead].actor != none) {
      ask_for(&actors[ends_[i + 2 * ahead].actor].ports);
    }
    if (i + ahead < count && ends_[i + ahead].actor != none) {
      const auto& next = actors[ends_[i + ahead].actor].ports;
      if (!next.empty()) ask_for(next.data());
      if (next.size() > 1) ask_for(next.data() + 1);
      ask_for(&names[i + ahead]->port);
    }
    if (ends_[i].actor != none) ends_[i].port = ports.find(ends_[i].actor, names[i]->port);
  }
}

}  // namespace antiphon
