// What the help of a diagnostic proposes, done.
#pragma once

#include "graph/model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>

namespace antiphon {

// Does what a help proposes: "raise the capacity of 'c1' from 2 to 3 and of …"; how many changes
// that is. A channel of several readers may be in several helps: the largest counts.
inline int apply_help(const GraphModel& original, const std::string& help, GraphModel& model) {
  const auto room = help.find("the capacity of");
  int changes = 0;
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    auto& channel = model.channels[c];
    const auto change = "'" + channel.name + "' from ";
    for (auto at = help.find(change); at != std::string::npos; at = help.find(change, at + 1)) {
      std::istringstream numbers(help.substr(at + change.size()));
      std::int64_t from = 0;
      std::string word;
      std::int64_t to = 0;
      numbers >> from >> word >> to;
      REQUIRE_FALSE(numbers.fail());
      REQUIRE(word == "to");
      if (at > room) {
        CHECK(original.channels[c].capacity.value_or(from) == from);
        channel.capacity = std::max(channel.capacity.value_or(0), to);
      } else {
        CHECK(original.channels[c].initial == from);
        channel.initial = std::max(channel.initial, to);
      }
      ++changes;
    }
  }
  return changes;
}

}  // namespace antiphon
