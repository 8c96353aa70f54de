// The check's rules, each declared once. Messages take their code and severity from here, and so
// does antiphon::rules().
#pragma once

#include <antiphon/diagnostic.hpp>

#include <array>

namespace antiphon::analysis::rule {

// --- structure
inline constexpr Rule no_actors{"no-actors", Severity::error, "the graph has no actors",
                                "A graph is made of actors; one without has nothing to run."};
inline constexpr Rule duplicate_actor{
    "duplicate-actor", Severity::error, "two actors have the same name",
    "Channels name their ends by actor and port, so each name means one actor."};
inline constexpr Rule duplicate_port{
    "duplicate-port", Severity::error, "two ports of an actor have the same name",
    "Inputs and outputs of one actor share their names' space: `actor.port` means one port."};
inline constexpr Rule duplicate_channel{
    "duplicate-channel", Severity::error, "two channels have the same name",
    "A channel needs no name; one that has a name has it alone."};
inline constexpr Rule unknown_actor{"unknown-actor", Severity::error,
                                    "a channel names an actor that the graph does not have",
                                    "Names are compared letter by letter."};
inline constexpr Rule unknown_port{"unknown-port", Severity::error,
                                   "a channel names a port that its actor does not have",
                                   "Names are compared letter by letter."};
inline constexpr Rule wrong_direction{
    "wrong-direction", Severity::error, "a channel begins at an input or ends at an output",
    "A channel is written from the output that sends to the inputs that receive."};
inline constexpr Rule no_reader{"no-reader", Severity::error, "a channel ends nowhere",
                                "A channel leads from one output to at least one input."};
inline constexpr Rule unconnected_port{
    "unconnected-port", Severity::error, "a port has no channel",
    "Every port is the end of one channel: an input without would never receive, an output without "
    "would have nowhere to write."};
inline constexpr Rule port_used_twice{
    "port-used-twice", Severity::error, "a port is the end of more than one channel",
    "A port is the end of one channel. An output that several actors read has one channel with "
    "several readers; an input that hears several writers is several inputs."};
inline constexpr Rule type_mismatch{
    "type-mismatch", Severity::error, "the ends of a channel do not carry the same messages",
    "Both ends of a channel, and the channel where it says one itself, have the same message type. "
    "Where both types have names the names count, else the sizes."};
inline constexpr Rule phases_differ{
    "phases-differ", Severity::error, "an actor's rates have different numbers of phases",
    "All rates of an actor, and its cost, step through their phases together, so they have the "
    "same "
    "number of initial and of periodic phases. A rate with a single phase fits any number."};
inline constexpr Rule zero_capacity{"zero-capacity", Severity::error,
                                    "a channel has room for no message",
                                    "A capacity is at least one message."};
inline constexpr Rule capacity_below_initial{
    "capacity-below-initial", Severity::error, "a channel starts with more messages than it holds",
    "The initial messages lie in the channel before anything fires, so its capacity is at least "
    "their number."};
inline constexpr Rule capacity_below_rate{
    "capacity-below-rate", Severity::error, "a channel cannot hold the messages of one firing",
    "A firing's messages lie in the channel all at once, while they are written and while they are "
    "read. A port that moves more than the capacity could never fire."};
inline constexpr Rule not_plain{"not-plain", Severity::error,
                                "a type that is more than its bytes is where only bytes can be",
                                "GPU memory and initial values hold plain bytes. Types with "
                                "constructors, pointers to memory of "
                                "their own and the like travel between CPU actors only, in "
                                "channels that start without values."};
inline constexpr Rule unknown_size{
    "unknown-size", Severity::error, "the message size of a GPU actor's channel is not known",
    "Device memory is laid out before anything runs, so the size of each message is said by one of "
    "the ports or by the channel."};
inline constexpr Rule gpu_without_output{"gpu-without-output", Severity::error,
                                         "a GPU actor has no output",
                                         "A kernel has no effect but the messages that it writes, "
                                         "and is dispatched over the elements of "
                                         "its first output."};

// --- rates
inline constexpr Rule inconsistent_rates{
    "inconsistent-rates", Severity::error, "the rates of some channels contradict each other",
    "In the long run each channel gives its reader as many messages as its writer sends. That "
    "fixes "
    "how often two actors fire relative to each other; two ways between them that fix it "
    "differently "
    "cannot both be kept: messages would pile up without bound on one and run out on the other "
    "(Lee and Messerschmitt, 1987; Bilsen et al., 1996)."};
inline constexpr Rule one_sided_rate{
    "one-sided-rate", Severity::error, "messages move at only one end of a channel",
    "Over a cycle of its phases one end moves no message at all and the other does: messages would "
    "pile up without bound, or run out."};
inline constexpr Rule repetitions_too_large{
    "repetitions-too-large", Severity::error, "an iteration would have more than 2^62 firings",
    "The smallest numbers of firings that return every channel to its first state, or the messages "
    "that they move, do not fit 62 bits. Rates that share more factors need fewer."};

// --- liveness
inline constexpr Rule deadlock_data{
    "deadlock-data", Severity::error, "actors wait for each other's messages for ever",
    "They stick even if every channel had room without end: around a cycle, each waits for a "
    "message "
    "that comes from the next. A cycle needs enough initial messages."};
inline constexpr Rule deadlock_capacity{
    "deadlock-capacity", Severity::error, "actors stick because channels hold too little",
    "With room without end they would go on for ever; as it is, each waits, around a cycle, for "
    "messages or for room that the next would have to make. Larger capacities cure it."};
inline constexpr Rule deadlock_order{
    "deadlock-order", Severity::error, "actors stick because of the order in a queue",
    "Without the order in which a queue gets its work they would go on for ever. Another order, or "
    "another queue, cures it."};
// --- what a graph is held to
inline constexpr Rule too_slow{
    "too-slow", Severity::error, "the graph cannot be as fast as it is required to be",
    "Around some cycle each firing waits for the next, for a message, for room or for the firing "
    "before it, and that cycle takes longer than the required throughput leaves (maximum cycle "
    "ratio: Reiter, 1968). Larger channels help where firings wait for room."};
inline constexpr Rule too_late{
    "too-late", Severity::error, "messages take longer than they are required to",
    "Latency is counted from when a firing of the source may start to the end of the first firing "
    "of the sink that it has a part in. It grows without end where messages come faster than the "
    "graph takes them."};
inline constexpr Rule too_much_memory{
    "too-much-memory", Severity::error, "the channels hold more bytes than they are required to",
    "Counted are all messages that the channels can hold. A plan may need more: it pads messages "
    "to what the device can address, and keeps windows in one piece."};
inline constexpr Rule shared_resource{
    "shared-resource", Severity::warning, "actors may use the same thing at the same time",
    "Two actors say that they use the same thing outside the graph, and nothing makes one of them "
    "wait until the other has ended. That one sends messages to the other is not enough: while the "
    "other works on a message, it works on the next."};
inline constexpr Rule starved_pool{
    "starved-pool", Severity::error, "firings that block may take all threads",
    "A firing of an actor that is declared blocking holds its thread while it sleeps. Where as "
    "many "
    "of them may run at once as there are threads, nobody is left to do what they wait for."};
// --- kernels, and the device that a graph is held against
inline constexpr Rule kernel_mismatch{
    "kernel-mismatch", Severity::error, "a kernel does not fit the ports of its actor",
    "Port i of the actor, in declared order, is the storage buffer at set 0, binding i; an output "
    "is one that the kernel may write. Messages lie one behind the other, from the buffer's first "
    "byte on, and the kernel's block is to see them so."};
inline constexpr Rule unusable_kernel{
    "unusable-kernel", Severity::error, "a kernel can't be read or compiled",
    "A kernel is SPIR-V that the validator of the Khronos group accepts, or GLSL, with a compute "
    "entry point of the name that the actor gives. Its file is looked for beside the graph's."};
inline constexpr Rule device_limit{
    "device-limit", Severity::error, "a GPU actor is beyond what the device allows",
    "A device says how large workgroups may be, how much memory their invocations may share, how "
    "many of them one dispatch may have, how many buffers a kernel may see and how much of each."};
inline constexpr Rule device_feature{
    "device-feature", Severity::error, "the device lacks something that is needed",
    "Kernels declare what they use beyond the least that each device has, such as 64-bit floats; "
    "antiphon itself needs Vulkan 1.2, a queue that computes and timeline semaphores."};
inline constexpr Rule device_memory{
    "device-memory", Severity::error, "the messages do not fit into the device's memory",
    "Counted are the messages that channels with a GPU actor at an end can hold: no plan needs "
    "less, and one may need more. A channel is one piece of memory."};
inline constexpr Rule unknown_rule{"unknown-rule", Severity::error,
                                   "what is allowed is no warning of the check",
                                   "Only warnings can be allowed, by their codes."};
inline constexpr Rule unused_allowance{
    "unused-allowance", Severity::warning, "what is allowed was not found",
    "An allowance that is left behind would silence a warning that comes back for another reason."};
inline constexpr Rule undecided{"undecided", Severity::warning,
                                "the budget ran out before life or deadlock was proved",
                                "Life is proved by firing every actor through one whole iteration. "
                                "Iterations can be very long; "
                                "the budget bounds the steps taken."};

inline constexpr std::array all{no_actors,
                                duplicate_actor,
                                duplicate_port,
                                duplicate_channel,
                                unknown_actor,
                                unknown_port,
                                wrong_direction,
                                no_reader,
                                unconnected_port,
                                port_used_twice,
                                type_mismatch,
                                phases_differ,
                                zero_capacity,
                                capacity_below_initial,
                                capacity_below_rate,
                                not_plain,
                                unknown_size,
                                gpu_without_output,
                                inconsistent_rates,
                                one_sided_rate,
                                repetitions_too_large,
                                deadlock_data,
                                deadlock_capacity,
                                deadlock_order,
                                too_slow,
                                too_late,
                                too_much_memory,
                                shared_resource,
                                starved_pool,
                                kernel_mismatch,
                                unusable_kernel,
                                device_limit,
                                device_feature,
                                device_memory,
                                unknown_rule,
                                unused_allowance,
                                undecided};

}  // namespace antiphon::analysis::rule
