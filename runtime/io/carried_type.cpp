#include "io/carried_type.hpp"

namespace antiphon::io {

PortIndex::PortIndex(const std::vector<ActorModel>& actors) {
  actors_.reserve(actors.size());
  for (const auto& actor : actors) actors_.emplace(actor.name, &actor);
}

const Port* PortIndex::find(const Endpoint& end, Direction direction) const {
  const auto actor = actors_.find(end.actor);
  if (actor == actors_.end()) return nullptr;
  for (const auto& port : actor->second->ports) {
    if (port.name == end.port && port.direction == direction) return &port;
  }
  return nullptr;
}

CarriedType carried_type(const ChannelModel& channel, const PortIndex& ports) {
  CarriedType result;
  const auto consider = [&](const MessageType& type) {
    if (result.type == nullptr && type.size != 0) result.type = &type;
  };
  consider(channel.type);
  const auto* writer = ports.find(channel.from, Direction::out);
  if (writer != nullptr) consider(writer->type);
  result.ends_exist = writer != nullptr;
  for (const auto& end : channel.to) {
    const auto* reader = ports.find(end, Direction::in);
    if (reader != nullptr) consider(reader->type);
    result.ends_exist = result.ends_exist && reader != nullptr;
  }
  return result;
}

}  // namespace antiphon::io
