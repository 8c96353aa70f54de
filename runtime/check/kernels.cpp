#include "check/kernels.hpp"

#include "base/int128.hpp"
#include "base/result.hpp"
#include "check/findings.hpp"
#include "check/rules.hpp"
#include "graph/channel_type.hpp"
#include "graph/ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace antiphon::analysis {

namespace {

// Kernels that are the same are read and compiled once.
class Compiled {
 public:
  Result<std::shared_ptr<const ActorKernel>> get(const Kernel& kernel) {
    Key key{kernel.file(), kernel.glsl(), kernel.spirv(), kernel.entry(), kernel.constants()};
    auto found = made_.find(key);
    if (found == made_.end()) found = made_.emplace(std::move(key), make(kernel)).first;
    return found->second;
  }

 private:
  using Made = Result<std::shared_ptr<const ActorKernel>>;
  using Key = std::tuple<std::string, std::string, std::vector<std::uint32_t>, std::string,
                         std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

  static Made make(const Kernel& kernel) {
    auto spirv = kernels::compile(kernel);
    if (!spirv) return spirv.failure();
    auto interface = kernels::read_interface(*spirv, kernel.entry(), kernel.constants());
    if (!interface) return interface.failure();
    return std::shared_ptr<const ActorKernel>(
        std::make_shared<ActorKernel>(ActorKernel{*std::move(spirv), *std::move(interface)}));
  }

  std::map<Key, Made> made_;
};

// The sizes that windows of a port have, in messages, each once or more.
template <typename Visit>
void visit_windows(const PhaseSequence& rate, Visit&& visit) {
  for (const auto runs : {rate.initial_runs(), rate.periodic_runs()}) {
    for (const auto& run : runs) visit(run.value);
  }
}

class KernelCheck {
 public:
  KernelCheck(const ActorModel& actor, const std::vector<KernelPort>& ports,
              std::vector<Diagnostic>& diagnostics)
      : actor_(actor), ports_(ports), out_(diagnostics) {}

  void unusable(const Failure& failure) {
    // A compiler says more than one line.
    std::istringstream lines(failure.message);
    std::string line;
    std::getline(lines, line);
    auto& d = add(rule::unusable_kernel,
                  fmt::format("the kernel of actor '{}' can't be used: {}", actor_.name, line), "");
    while (std::getline(lines, line)) d.notes.push_back(line);
    if (failure.kind == ErrorKind::unreadable) {
      d.help =
          "a kernel's file is named from where the graph's file lies (check --no-kernels leaves "
          "kernels unread)";
    }
  }

  void check(const kernels::KernelInterface& interface) {
    std::vector<bool> seen(ports_.size());
    for (const auto& binding : interface.bindings) check_binding(binding, seen);
    for (std::size_t p = 0; p < ports_.size(); ++p) {
      if (seen[p] || actor_.ports[p].direction == Direction::in) continue;
      add(rule::kernel_mismatch,
          fmt::format("the kernel of actor '{}' never touches output '{}' (binding {})",
                      actor_.name, actor_.ports[p].name, p),
          "port i of the actor, in declared order, is the storage buffer at set 0, binding i");
    }
    for (const auto id : interface.unknown_constants) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel of actor '{}' has no specialisation constant {}", actor_.name,
                      id),
          "declare it in the kernel: layout(constant_id = …) const …");
    }
    if (interface.push_constants > 0) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel of actor '{}' has {} bytes of push constants, which nobody "
                      "would set",
                      actor_.name, interface.push_constants),
          "use a specialisation constant for what is fixed, a message for what changes");
    }
  }

 private:
  using Binding = kernels::KernelInterface::Binding;

  Diagnostic& add(const Rule& rule, std::string message, std::string help) {
    auto& d = out_.emplace_back(finding(rule, std::move(message)));
    const auto& place = actor_.kernel_place.known() ? actor_.kernel_place : actor_.place;
    d.marks.push_back({place, "actor " + actor_.name, ""});
    d.help = std::move(help);
    return d;
  }

  void check_binding(const Binding& binding, std::vector<bool>& seen) {
    if (binding.set != 0 || binding.binding >= ports_.size() || !binding.storage_buffer) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel of actor '{}' has {} '{}' at set {}, binding {}, the actor has "
                      "{}",
                      actor_.name, binding.storage_buffer ? "a buffer" : "a resource", binding.name,
                      binding.set, binding.binding,
                      counted(static_cast<std::int64_t>(ports_.size()), "port")),
          "port i of the actor, in declared order, is the storage buffer at set 0, binding i");
      return;
    }
    const auto& port = actor_.ports[binding.binding];
    seen[binding.binding] = true;
    if (binding.written && port.direction == Direction::in) {
      add(rule::kernel_mismatch,
          fmt::format("input '{}.{}' is written by the kernel (binding {})", actor_.name, port.name,
                      binding.binding),
          "others may read the same message: write to an output, and declare inputs readonly");
    }
    if (binding.read_only && port.direction == Direction::out) {
      add(rule::kernel_mismatch,
          fmt::format("output '{}.{}' is read-only in the kernel (binding {})", actor_.name,
                      port.name, binding.binding),
          "declare inputs and outputs in the order of the kernel's bindings");
    }
    check_block(binding, port, ports_[binding.binding]);
  }

  // Firings without messages at the port are given a window that nobody looks at.
  void check_block(const Binding& block, const Port& port, const KernelPort& as) {
    const auto message = static_cast<std::int64_t>(as.type.size);
    std::int64_t least = INT64_MAX;
    visit_windows(as.rate, [&](std::int64_t messages) {
      if (messages > 0) least = std::min(least, messages);
    });
    if (least == INT64_MAX) return;
    const auto needs = static_cast<std::int64_t>(block.fixed_bytes + block.element_stride);
    if (needs > Int128{least} * message) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel sees '{}.{}' as {} bytes or more, and a firing has {} there",
                      actor_.name, port.name, needs, least * message),
          "give the port's messages the type that the kernel's block has");
      return;
    }
    const auto stride = static_cast<std::int64_t>(block.element_stride);
    if (stride == 0) return;
    const auto used = static_cast<std::int64_t>(block.element_bytes);
    if (block.fixed_bytes == 0 && used < stride && message % stride != 0) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel sees '{}.{}' in elements of {} bytes at every {}, and its "
                      "messages of {} lie one behind the other",
                      actor_.name, port.name, used, stride, counted(message, "byte")),
          "std430 begins a vec3 at every 16 bytes: read scalars, or give the messages the same "
          "padding");
      return;
    }
    std::int64_t cut = 0;
    visit_windows(as.rate, [&](std::int64_t messages) {
      const auto bytes = Int128{messages} * message - static_cast<std::int64_t>(block.fixed_bytes);
      if (messages > 0 && cut == 0 && bytes % stride != 0) cut = messages;
    });
    if (cut > 0) {
      add(rule::kernel_mismatch,
          fmt::format("the kernel sees '{}.{}' in elements of {} bytes, and the {} of a firing are "
                      "not a whole number of them",
                      actor_.name, port.name, stride, counted(cut * message, "byte")),
          "give the port's messages the type that the kernel's block has");
    }
  }

  const ActorModel& actor_;
  const std::vector<KernelPort>& ports_;
  std::vector<Diagnostic>& out_;
};

}  // namespace

std::vector<std::vector<KernelPort>> kernel_ports(const GraphModel& model) {
  std::vector<std::vector<KernelPort>> ports(model.actors.size());
  const bool any = std::any_of(model.actors.begin(), model.actors.end(),
                               [](const ActorModel& a) { return a.side == Side::gpu; });
  if (!any) return ports;
  const Ends ends(model);
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    if (model.actors[a].side != Side::gpu) continue;
    for (const auto& port : model.actors[a].ports) ports[a].push_back({port.type, port.rate});
  }
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    const auto& channel = model.channels[c];
    const auto port = [&](const Ends::End& end) -> const Port& {
      return model.actors[end.actor].ports[end.port];
    };
    const auto on_gpu = [&](const Ends::End& end) {
      return model.actors[end.actor].side == Side::gpu;
    };
    bool any_on_gpu = on_gpu(ends.from(c));
    std::vector<const Port*> readers;
    for (std::size_t r = 0; r < channel.to.size(); ++r) {
      readers.push_back(&port(ends.to(c, r)));
      any_on_gpu = any_on_gpu || on_gpu(ends.to(c, r));
    }
    if (!any_on_gpu) continue;
    const auto type = type_of(channel, port(ends.from(c)), readers);
    const auto set = [&](const Ends::End& end) {
      if (on_gpu(end)) ports[end.actor][end.port].type = type;
    };
    set(ends.from(c));
    for (std::size_t r = 0; r < channel.to.size(); ++r) set(ends.to(c, r));
  }
  return ports;
}

ActorKernels check_kernels(const GraphModel& model, std::vector<Diagnostic>& diagnostics) {
  ActorKernels result(model.actors.size());
  const auto ports = kernel_ports(model);
  Compiled compiled;
  for (std::size_t a = 0; a < model.actors.size(); ++a) {
    const auto& actor = model.actors[a];
    if (actor.side != Side::gpu || !actor.kernel) continue;
    KernelCheck check(actor, ports[a], diagnostics);
    auto kernel = compiled.get(*actor.kernel);
    if (!kernel) {
      check.unusable(kernel.failure());
    } else {
      check.check((*kernel)->interface);
      result[a] = *kernel;
    }
  }
  return result;
}

std::size_t counted_port(const ActorModel& actor) {
  const auto first_output =
      std::find_if(actor.ports.begin(), actor.ports.end(),
                   [](const Port& port) { return port.direction == Direction::out; });
  return first_output == actor.ports.end()
             ? 0
             : static_cast<std::size_t>(first_output - actor.ports.begin());
}

std::uint64_t groups_for(std::int64_t messages, const MessageType& type,
                         const std::array<std::uint32_t, 3>& workgroup) {
  const auto elements = Int128{messages} * type.elements;
  const auto invocations = Int128{workgroup[0]} * workgroup[1] * workgroup[2];
  const auto groups = elements <= 0 ? Int128{1} : (elements + invocations - 1) / invocations;
  return groups > INT64_MAX ? std::uint64_t{INT64_MAX} : static_cast<std::uint64_t>(groups);
}

}  // namespace antiphon::analysis
