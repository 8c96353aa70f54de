// What the names in a graph mean, and what a name that means nothing may have been meant for.
#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace antiphon::analysis {

// Refers to the model, which must outlive it.
class Names {
 public:
  explicit Names(const GraphModel& model);

  // The first of that name.
  std::optional<std::uint32_t> actor(std::string_view name) const;
  std::optional<std::uint32_t> port(std::uint32_t actor, std::string_view name) const;

  // What a name that means nothing may have been meant for, the nearest first.
  struct Like {
    std::vector<std::uint32_t> meant;
    std::string text;  // "the nearest is 'count'"; empty when nothing is near
  };
  Like like_actor(std::string_view name);
  Like like_port(std::uint32_t actor, std::string_view name);

 private:
  bool may_look();

  const GraphModel& model_;
  std::unordered_map<std::string_view, std::uint32_t> actors_;
  // Only for actors of many ports; few are searched as fast one by one.
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, std::uint32_t>> ports_;
  int looks_left_;
};

}  // namespace antiphon::analysis
