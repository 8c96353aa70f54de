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
inline constexpr Rule kernel_mismatch{"kernel-mismatch", Severity::error,
                                      "a kernel does not fit the ports of its actor",
                                      "Port i of the actor, in declared order, is the storage "
                                      "buffer at set 0, binding i; an output is one that the "
                                      "kernel may write."};

inline constexpr Rule unusable_kernel{"unusable-kernel", Severity::error,
                                      "a kernel can't be read or compiled",
                                      "A kernel is SPIR-V or GLSL with a compute entry point of "
                                      "the name that the actor gives."};

inline constexpr std::array all{unbound_actor, unbounded_channel, kernel_mismatch, unusable_kernel};

}  // namespace antiphon::plan_rules
