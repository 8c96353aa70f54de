#include "graph/channel_type.hpp"

#include <algorithm>

namespace antiphon {

MessageType type_of(const ChannelModel& channel, const Port& writer,
                    const std::vector<const Port*>& readers) {
  MessageType type = writer.type;
  const auto consider = [&](const MessageType& other) {
    if (type.size == 0) type = other;
    if (type.construct == nullptr && other.construct != nullptr) type = other;
    type.alignment = std::max(type.alignment, other.alignment);
    if (other.size == type.size) type.elements = std::max(type.elements, other.elements);
  };
  for (const auto* reader : readers) consider(reader->type);
  consider(channel.type);
  return type;
}

}  // namespace antiphon
