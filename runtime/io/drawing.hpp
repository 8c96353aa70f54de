// What the pictures of a graph have in common: its numbers as short texts, and what is to be red.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/phase_sequence.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace antiphon::io {

// "3", "1,2,1", "5;2*1,3", cut after a few runs. `times`: the values are in ns and get units.
std::string short_phases(const PhaseSequence& phases, bool times);
// A port, with its rate where that is not 1.
std::string port_label(std::string_view name, const PhaseSequence& rate);

// What a report's errors point at.
class Blamed {
 public:
  explicit Blamed(const Report& report);

  bool actor(std::string_view name) const;
  // By its display name.
  bool channel(std::string_view name) const;

 private:
  std::set<std::string, std::less<>> subjects_;  // of the errors' marks
};

}  // namespace antiphon::io
