// Which actor and which port each end of each channel means.
#pragma once

#include "graph/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace antiphon {

// Of actors or ports with the same name, the first counts. The model must not be changed meanwhile;
// it need not outlive this.
class Ends {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;  // nothing has that name
  struct End {
    std::uint32_t actor = none;
    std::uint32_t port = none;
  };

  // Takes time in proportion to the model's size.
  explicit Ends(const GraphModel& model);

  const End& from(std::size_t channel) const { return ends_[first_[channel]]; }
  const End& to(std::size_t channel, std::size_t reader) const {
    return ends_[first_[channel] + 1 + reader];
  }
  // The first actor that has the name of this one.
  std::uint32_t first_of_name(std::uint32_t actor) const { return first_of_name_[actor]; }

 private:
  std::vector<std::size_t> first_;  // per channel, into ends_
  std::vector<End> ends_;           // of each channel the writer, then the readers
  std::vector<std::uint32_t> first_of_name_;
};

}  // namespace antiphon
