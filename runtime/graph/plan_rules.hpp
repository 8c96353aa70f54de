// What a valid graph may still lack to be run. A file has no functions, so the check does not ask
// for them; a plan does. The check lists these beside its own rules.
#pragma once

#include <antiphon/diagnostic.hpp>

#include <array>

namespace antiphon::plan_rules {

inline constexpr Rule unbound_actor{"unbound-actor", Severity::error, "an actor has nothing to run",
                                    "Before a graph from a file is planned, each of its CPU actors "
                                    "is bound to a function, and each GPU actor "
                                    "has a kernel, named in the file or bound in code."};
inline constexpr Rule unbounded_channel{
    "unbounded-channel", Severity::error, "a channel has no capacity, so it can't be given memory",
    "Channels of SDF3 files are unbounded. They can be analysed, not run."};
inline constexpr std::array all{unbound_actor, unbounded_channel};

}  // namespace antiphon::plan_rules
