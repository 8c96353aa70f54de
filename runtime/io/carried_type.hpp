// What a channel carries, as its ends and the channel itself say.
#pragma once

#include "graph/model.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace antiphon::io {

// Ports by name. The actors must outlive it and stay as they are.
class PortIndex {
 public:
  PortIndex() = default;
  explicit PortIndex(const std::vector<ActorModel>& actors);

  // Null when there is none. Of actors with the same name, the first counts.
  const Port* find(const Endpoint& end, Direction direction) const;

 private:
  std::unordered_map<std::string_view, const ActorModel*> actors_;
};

struct CarriedType {
  const MessageType* type = nullptr;  // null: nobody says
  bool ends_exist = true;             // false: an end names no port of the graph
};

// The channel's own type, else its writer's, else its first reader's that has one.
CarriedType carried_type(const ChannelModel& channel, const PortIndex& ports);

}  // namespace antiphon::io
