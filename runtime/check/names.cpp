#include "check/names.hpp"

#include "graph/similar_names.hpp"

#include <algorithm>

namespace antiphon::analysis {

namespace {

constexpr std::size_t many_ports = 16;

// Each look compares a name with all others. A graph whose every name is unknown gets no better for
// a proposal at each of them.
constexpr int most_looks = 50;

}  // namespace

Names::Names(const GraphModel& model) : model_(model), looks_left_(most_looks) {
  actors_.reserve(model.actors.size());
  for (std::uint32_t a = 0; a < model.actors.size(); ++a) {
    const auto& actor = model.actors[a];
    actors_.emplace(actor.name, a);
    if (actor.ports.size() < many_ports) continue;
    auto& ports = ports_[a];
    for (std::uint32_t p = 0; p < actor.ports.size(); ++p) ports.emplace(actor.ports[p].name, p);
  }
}

std::optional<std::uint32_t> Names::actor(std::string_view name) const {
  const auto found = actors_.find(name);
  if (found == actors_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> Names::port(std::uint32_t actor, std::string_view name) const {
  const auto& ports = model_.actors[actor].ports;
  if (ports.size() < many_ports) {
    const auto found =
        std::find_if(ports.begin(), ports.end(), [&](const Port& p) { return p.name == name; });
    if (found == ports.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - ports.begin());
  }
  const auto& by_name = ports_.at(actor);
  const auto found = by_name.find(name);
  if (found == by_name.end()) return std::nullopt;
  return found->second;
}

bool Names::may_look() {
  return looks_left_-- > 0;
}

Names::Like Names::like_actor(std::string_view name) {
  Like like;
  if (!may_look()) return like;
  std::vector<std::string_view> names;
  names.reserve(model_.actors.size());
  for (const auto& actor : model_.actors) names.emplace_back(actor.name);
  for (const auto similar : similar_names(name, names)) like.meant.push_back(*actor(similar));
  like.text = nearest_names(name, names);
  return like;
}

Names::Like Names::like_port(std::uint32_t actor, std::string_view name) {
  Like like;
  if (!may_look()) return like;
  std::vector<std::string_view> names;
  for (const auto& declared : model_.actors[actor].ports) names.emplace_back(declared.name);
  for (const auto similar : similar_names(name, names)) like.meant.push_back(*port(actor, similar));
  like.text = nearest_names(name, names);
  return like;
}

}  // namespace antiphon::analysis
