#include "check/devices.hpp"

#include "base/int128.hpp"
#include "base/quantities.hpp"
#include "check/findings.hpp"
#include "check/rules.hpp"
#include "check/size_goals.hpp"
#include "profile/kernel_needs.hpp"
#include "profile/usable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace antiphon::analysis {

namespace {

std::int64_t saturated(Int128 bytes) {
  return static_cast<std::int64_t>(std::min<Int128>(bytes, INT64_MAX));
}

// What a channel takes, and who has to reach it.
struct ChannelMemory {
  std::size_t channel = 0;
  Int128 bytes = 0;
  bool host = false;
  bool device = false;
};

std::vector<ChannelMemory> channel_memory(const Subject& subject) {
  const auto& model = subject.model;
  const auto each = message_sizes(model, subject.relation);
  std::vector<ChannelMemory> result(model.channels.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    result[c].channel = c;
    result[c].bytes = Int128{each[c]} * subject.capacities[c];
  }
  for (const auto& wait : subject.relation.waits) {
    if (wait.kind != relation::WaitKind::data) continue;
    for (const auto t : {wait.source, wait.waiter}) {
      const bool gpu = model.actors[t].side == Side::gpu;
      (gpu ? result[wait.channel].device : result[wait.channel].host) = true;
    }
  }
  return result;
}

class DeviceCheck {
 public:
  DeviceCheck(const Subject& subject, const DeviceProfile& device,
              std::vector<Diagnostic>& diagnostics)
      : model_(subject.model),
        subject_(subject),
        device_(device),
        ports_(kernel_ports(subject.model)),
        out_(diagnostics) {}

  void check(const ActorKernels& kernels) {
    const auto on_gpu = std::find_if(model_.actors.begin(), model_.actors.end(),
                                     [](const ActorModel& a) { return a.side == Side::gpu; });
    if (on_gpu == model_.actors.end()) return;
    if (const auto lack = profile::lack(device_); !lack.empty()) {
      auto& d = add(rule::device_feature,
                    fmt::format("'{}' can't run graphs: it {}", device_.name, lack), *on_gpu);
      d.help = "take another device";
      return;
    }
    for (std::size_t a = 0; a < model_.actors.size(); ++a) {
      if (model_.actors[a].side != Side::gpu) continue;
      check_ports(a);
      if (kernels[a]) check_kernel(a, *kernels[a]);
    }
    check_memory();
  }

 private:
  Diagnostic& add(const Rule& rule, std::string message, const ActorModel& actor) {
    auto& d = out_.emplace_back(finding(rule, std::move(message)));
    d.marks.push_back({actor.place, "actor " + actor.name, ""});
    return d;
  }

  void check_ports(std::size_t a) {
    const auto& actor = model_.actors[a];
    if (actor.ports.size() > device_.max_bindings) {
      auto& d = add(rule::device_limit,
                    fmt::format("actor '{}' has {}, and a kernel of '{}' sees {}", actor.name,
                                counted(static_cast<std::int64_t>(actor.ports.size()), "port"),
                                device_.name, counted(device_.max_bindings, "buffer")),
                    actor);
      d.help = "send what belongs together as one message: a struct, or an array";
    }
    for (std::size_t p = 0; p < actor.ports.size(); ++p) {
      const auto& port = ports_[a][p];
      const auto bytes = Int128{port.rate.max()} * static_cast<std::int64_t>(port.type.size);
      if (bytes <= Int128{device_.max_storage_range}) continue;
      auto& d =
          add(rule::device_limit,
              fmt::format("port '{}.{}' moves {} in a firing, and a kernel of '{}' can see "
                          "{} of a buffer",
                          actor.name, actor.ports[p].name, bytes_text(saturated(bytes)),
                          device_.name, bytes_text(saturated(Int128{device_.max_storage_range}))),
              actor);
      d.marks.front() = {actor.ports[p].place,
                         fmt::format("port {}.{}", actor.name, actor.ports[p].name),
                         fmt::format("{} of {}", counted(port.rate.max(), "message"),
                                     counted(static_cast<std::int64_t>(port.type.size), "byte"))};
      d.help = "move less in a firing: smaller messages, or a lower rate";
    }
  }

  void check_kernel(std::size_t a, const ActorKernel& kernel) {
    const auto& actor = model_.actors[a];
    const auto& interface = kernel.interface;
    std::uint64_t invocations = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      invocations *= interface.workgroup[i];
      if (interface.workgroup[i] > device_.max_workgroup_size[i]) {
        limit(actor,
              fmt::format("a workgroup of actor '{}' is {} along {}", actor.name,
                          interface.workgroup[i], "xyz"[i]),
              device_.max_workgroup_size[i], "give the kernel a smaller local_size");
      }
    }
    if (invocations > device_.max_workgroup_invocations) {
      limit(actor,
            fmt::format("a workgroup of actor '{}' has {} invocations", actor.name, invocations),
            device_.max_workgroup_invocations, "give the kernel a smaller local_size");
    }
    if (interface.shared_memory > device_.max_shared_memory) {
      limit(actor,
            fmt::format("a workgroup of actor '{}' shares {} bytes", actor.name,
                        interface.shared_memory),
            device_.max_shared_memory, "share less, or split the workgroup");
    }
    check_groups(a, interface.workgroup);
    // What is no module has been said.
    const auto unmet = profile::unmet_needs(kernel.spirv, device_);
    if (!unmet) return;
    for (const auto& need : *unmet) {
      auto& d = add(rule::device_feature,
                    fmt::format("the kernel of actor '{}' {}", actor.name, need), actor);
      d.help = "write the kernel without it, or take another device";
    }
  }

  void check_groups(std::size_t a, const std::array<std::uint32_t, 3>& workgroup) {
    const auto& actor = model_.actors[a];
    std::array<std::uint64_t, 3> groups{1, 1, 1};
    const bool said = actor.kernel->groups().has_value();
    if (said) {
      std::copy_n(actor.kernel->groups()->begin(), 3, groups.begin());
    } else {
      const auto& port = ports_[a][counted_port(actor)];
      groups[0] = groups_for(port.rate.max(), port.type, workgroup);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (groups[i] <= device_.max_group_count[i]) continue;
      limit(actor,
            fmt::format("a firing of actor '{}' is {} workgroups along {}", actor.name, groups[i],
                        "xyz"[i]),
            device_.max_group_count[i],
            said ? "say fewer groups, and let each do more"
                 : "give the kernel a larger local_size, or say its groups");
    }
  }

  void limit(const ActorModel& actor, const std::string& what, std::uint64_t most,
             const std::string& help) {
    auto& d = add(rule::device_limit,
                  fmt::format("{}, and '{}' allows {}", what, device_.name, most), actor);
    d.help = help;
  }

  // A channel is one buffer, and each heap is within the device's reach, so this much is needed
  // whatever a plan does.
  void check_memory() {
    auto channels = channel_memory(subject_);
    channels.erase(std::remove_if(channels.begin(), channels.end(),
                                  [](const ChannelMemory& m) { return !m.device; }),
                   channels.end());
    const auto largest = profile::largest_buffer(device_);
    Int128 sum = 0;
    bool too_large = false;
    for (const auto& memory : channels) {
      sum += memory.bytes;
      if (memory.bytes <= Int128{largest}) continue;
      too_large = true;
      const auto& channel = model_.channels[memory.channel];
      auto& d = out_.emplace_back(
          finding(rule::device_memory,
                  fmt::format("'{}' takes {}, and '{}' has {} in one piece at most",
                              display_name(channel), bytes_text(saturated(memory.bytes)),
                              device_.name, bytes_text(saturated(Int128{largest})))));
      mark(memory, d);
      shrink(
          [&](const auto& capacities) { return bytes_of(memory, capacities) <= Int128{largest}; },
          d);
    }
    if (too_large || device_.heaps.empty()) return;
    Int128 there = 0;
    for (const auto& heap : device_.heaps) there += heap.bytes;
    if (sum <= there) return;
    auto& d = out_.emplace_back(finding(
        rule::device_memory,
        fmt::format("the channels that the GPU reaches take {}, and all memory of '{}' is "
                    "{}",
                    bytes_text(saturated(sum)), device_.name, bytes_text(saturated(there)))));
    std::sort(channels.begin(), channels.end(),
              [](const auto& a, const auto& b) { return b.bytes < a.bytes; });
    constexpr std::size_t most_marks = 3;
    for (std::size_t i = 0; i < std::min(most_marks, channels.size()); ++i) mark(channels[i], d);
    shrink(
        [&](const auto& capacities) {
          Int128 now = 0;
          for (const auto& memory : channels) now += bytes_of(memory, capacities);
          return now <= there;
        },
        d);
  }

  Int128 bytes_of(const ChannelMemory& memory, const std::vector<std::int64_t>& capacities) const {
    const auto now = subject_.capacities[memory.channel];
    return now == 0 ? Int128{0} : memory.bytes / now * capacities[memory.channel];
  }

  // Proposes smaller capacities with which the graph lives and `fits` holds, where there are any.
  template <typename Fits>
  void shrink(const Fits& fits, Diagnostic& d) const {
    d.help = "make the messages smaller";
    constexpr std::int64_t most_steps = 20'000'000;
    SizeSubject sized(model_, subject_.repetitions, most_steps);
    auto problem = sized.problem();
    problem.weight = message_weights(model_, subject_.relation);
    Lives lives(sized);
    SizeCuts cuts;
    const auto found = search_sizes(
        problem, lives, [&] { return sized.may_go_on(); }, cuts);
    if (found.capacities.empty() || !fits(found.capacities)) return;
    auto capacities = found.capacities;
    std::vector<std::size_t> changed;
    for (std::size_t c = 0; c < capacities.size(); ++c) {
      if (capacities[c] != subject_.capacities[c]) changed.push_back(c);
    }
    // What need not change stays: the smallest first.
    const auto bytes = [&](std::size_t c) {
      return Int128{problem.weight[c]} * subject_.capacities[c];
    };
    std::sort(changed.begin(), changed.end(), [&](auto x, auto y) { return bytes(x) < bytes(y); });
    for (const auto c : changed) {
      const auto other = std::exchange(capacities[c], subject_.capacities[c]);
      std::vector<std::size_t> blamed;
      const bool lives_on =
          other < capacities[c] || lives.ask(capacities, blamed) == SizeGoal::Answer::holds;
      if (!lives_on || !fits(capacities)) capacities[c] = other;
    }
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < capacities.size(); ++c) {
      const auto& channel = model_.channels[c];
      const auto from = subject_.capacities[c];
      if (capacities[c] == from) continue;
      d.repairs.push_back({Repair::Of::capacity, display_name(channel), from, capacities[c],
                           channel.capacity_place});
      parts.push_back(
          fmt::format("'{}' from {} to {}", display_name(channel), from, capacities[c]));
    }
    constexpr std::size_t most_parts = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(parts.size(), most_parts); ++i) {
      list += (i == 0 ? "" : ", of ") + parts[i];
    }
    if (parts.size() > most_parts)
      list += fmt::format(" and of {} more", parts.size() - most_parts);
    d.help = fmt::format("change the capacity of {}; then it fits, and lives", list);
  }

  void mark(const ChannelMemory& memory, Diagnostic& d) const {
    const auto& channel = model_.channels[memory.channel];
    const auto& place = channel.capacity_place.known() ? channel.capacity_place : channel.place;
    d.marks.push_back(
        {place, display_name(channel),
         fmt::format("room for {}: {}", counted(subject_.capacities[memory.channel], "message"),
                     bytes_text(saturated(memory.bytes)))});
    d.subjects.push_back(display_name(channel));
  }

  const GraphModel& model_;
  const Subject& subject_;
  const DeviceProfile& device_;
  std::vector<std::vector<KernelPort>> ports_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

MemoryFacts memory_of(const Subject& subject) {
  Int128 host = 0;
  Int128 both = 0;
  Int128 device = 0;
  for (const auto& memory : channel_memory(subject)) {
    (memory.host && memory.device ? both : memory.device ? device : host) += memory.bytes;
  }
  return {saturated(host), saturated(both), saturated(device)};
}

void check_device(const Subject& subject, const ActorKernels& kernels, const DeviceProfile& device,
                  std::vector<Diagnostic>& diagnostics) {
  DeviceCheck(subject, device, diagnostics).check(kernels);
}

}  // namespace antiphon::analysis
