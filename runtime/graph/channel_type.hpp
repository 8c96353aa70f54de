// What a channel's messages are, from what its ends and itself say of them.
#pragma once

#include "graph/model.hpp"

#include <antiphon/message_type.hpp>

#include <vector>

namespace antiphon {

// Whatever says most about it; REQUIRES that they do not contradict each other.
MessageType type_of(const ChannelModel& channel, const Port& writer,
                    const std::vector<const Port*>& readers);

}  // namespace antiphon
