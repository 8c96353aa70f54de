// A graph as YAML.
#include "graph/model.hpp"
#include "io/carried_type.hpp"
#include "io/write_text.hpp"

#include <antiphon/graph_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace antiphon {

namespace {

using io::yaml_scalar;

class Writer {
 public:
  explicit Writer(const GraphModel& model) : model_(model), ports_(model.actors) {}

  std::string write() {
    line("format: 1");
    line("graph: {}", yaml_scalar(model_.name));
    if (model_.semantics == Semantics::sdf3) line("semantics: sdf3");
    write_actors();
    if (!model_.channels.empty()) line("channels:");
    for (const auto& channel : model_.channels) write_channel(channel);
    write_requirements();
    write_allowances();
    return std::move(text_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void write_actors() {
    if (model_.actors.empty()) {
      line("actors: {{}}");
      return;
    }
    line("actors:");
    std::set<std::string_view> names;
    for (const auto& actor : model_.actors) names.insert(actor.name);
    // A map cannot hold two actors of the same name; a list can, and the check then says so.
    const bool listed = names.size() != model_.actors.size();
    for (const auto& actor : model_.actors) {
      if (listed) {
        line("  - name: {}", yaml_scalar(actor.name));
      } else {
        line("  {}:", yaml_scalar(actor.name));
      }
      write_actor(actor);
    }
  }

  std::string time(std::int64_t value) const {
    return model_.semantics == Semantics::sdf3 ? fmt::format("{}", value) : io::time_text(value);
  }

  void write_requirements() {
    const auto& require = model_.require;
    if (require.throughput.empty() && require.latency.empty() && !require.memory) return;
    line("require:");
    if (!require.throughput.empty()) {
      const auto rate = [&](const ThroughputRequirement& r) {
        if (model_.semantics == Semantics::sdf3) {
          return fmt::format("{}/{}", r.least.numerator(), r.least.denominator());
        }
        return io::rate_text(r.least);
      };
      if (require.throughput.size() == 1 && require.throughput.front().actor.empty()) {
        line("  throughput: {}", rate(require.throughput.front()));
      } else {
        line("  throughput:");
        for (const auto& r : require.throughput) {
          line("    {}: {}", yaml_scalar(r.actor), rate(r));
        }
      }
    }
    if (!require.latency.empty()) line("  latency:");
    for (const auto& r : require.latency) {
      line("    - {{from: {}, to: {}, within: {}{}}}", yaml_scalar(r.source), yaml_scalar(r.sink),
           time(r.most), r.every ? ", every: " + time(*r.every) : "");
    }
    if (require.memory) {
      line("  memory: {}", io::size_text(static_cast<std::size_t>(require.memory->most)));
    }
  }

  void write_allowances() {
    if (model_.allow.empty()) return;
    line("allow:");
    // As they were read, those of one rule together.
    std::vector<std::pair<std::string_view, std::vector<const Allowance*>>> by_rule;
    for (const auto& a : model_.allow) {
      auto at = std::find_if(by_rule.begin(), by_rule.end(),
                             [&](const auto& known) { return known.first == a.rule; });
      if (at == by_rule.end()) at = by_rule.insert(by_rule.end(), {a.rule, {}});
      at->second.push_back(&a);
    }
    for (const auto& [code, allowances] : by_rule) {
      if (allowances.size() == 1 && allowances.front()->of.empty()) {
        line("  {}: {}", yaml_scalar(code), yaml_scalar(allowances.front()->reason));
        continue;
      }
      line("  {}:", yaml_scalar(code));
      for (const auto* a : allowances) {
        line("    - {{of: {}, reason: {}}}", yaml_scalar(a->of), yaml_scalar(a->reason));
      }
    }
  }

  void write_actor(const ActorModel& actor) {
    line("    side: {}", actor.side == Side::gpu ? "gpu" : "cpu");
    write_kernel(actor);
    write_ports(actor);
    const bool sdf3 = model_.semantics == Semantics::sdf3;
    if (actor.cost) line("    cost: {}", io::phases_text(*actor.cost, !sdf3));
    if (actor.concurrency == 0 && !sdf3) line("    concurrency: unlimited");
    if (actor.concurrency != 0 && (sdf3 || actor.concurrency != 1)) {
      line("    concurrency: {}", actor.concurrency);
    }
    if (actor.blocking) line("    blocking: true");
    if (!actor.uses.empty()) {
      std::string uses;
      for (const auto& used : actor.uses) uses += (uses.empty() ? "" : ", ") + yaml_scalar(used);
      line("    uses: [{}]", uses);
    }
  }

  void write_kernel(const ActorModel& actor) {
    if (actor.side != Side::gpu || !actor.kernel) return;
    const auto& kernel = *actor.kernel;
    const auto& file = actor.kernel_file.empty() ? kernel.file() : actor.kernel_file;
    if (file.empty()) {
      // There is no text to give back; whoever loads the graph binds it again.
      line("    x-kernel: bound in code");
      return;
    }
    line("    kernel: {}", yaml_scalar(file));
    if (kernel.entry() != "main") line("    entry: {}", yaml_scalar(kernel.entry()));
    if (const auto& groups = kernel.groups()) {
      line("    groups: [{}, {}, {}]", (*groups)[0], (*groups)[1], (*groups)[2]);
    }
    if (kernel.constants().empty()) return;
    std::string constants;
    // As a map holds them: the last value of an id.
    std::map<std::uint32_t, std::uint32_t> last;
    for (const auto& [id, bits] : kernel.constants()) last[id] = bits;
    for (const auto& [id, bits] : last) {
      constants += fmt::format("{}{}: {}", constants.empty() ? "" : ", ", id, bits);
    }
    line("    constants: {{{}}}", constants);
  }

  // Two maps, where they keep the order and the names of the ports; else a list.
  void write_ports(const ActorModel& actor) {
    const auto& ports = actor.ports;
    if (ports.empty()) return;
    const auto first = ports.front().direction;
    const auto other = std::find_if(ports.begin(), ports.end(),
                                    [&](const Port& p) { return p.direction != first; });
    bool maps =
        std::all_of(other, ports.end(), [&](const Port& p) { return p.direction != first; });
    std::set<std::pair<Direction, std::string_view>> names;
    for (const auto& port : ports) maps = names.emplace(port.direction, port.name).second && maps;
    if (!maps) {
      line("    ports:");
      for (const auto& port : ports) {
        const auto fields = port_fields(port);
        line("      - {{{}: {}{}{}}}", key(port.direction), yaml_scalar(port.name),
             fields.empty() ? "" : ", ", fields);
      }
      return;
    }
    line("    {}: {{{}}}", key(first), port_map(ports.begin(), other));
    if (other != ports.end())
      line("    {}: {{{}}}", key(other->direction), port_map(other, ports.end()));
  }

  static std::string_view key(Direction direction) {
    return direction == Direction::in ? "in" : "out";
  }

  static std::string port_map(std::vector<Port>::const_iterator begin,
                              std::vector<Port>::const_iterator end) {
    std::string text;
    for (auto port = begin; port != end; ++port) {
      if (port != begin) text += ", ";
      text += fmt::format("{}: ", yaml_scalar(port->name));
      const auto type = io::type_text(port->type);
      if (type && type->is_short && port->rate == PhaseSequence(1)) {
        text += type->text;
      } else {
        text += fmt::format("{{{}}}", port_fields(*port));
      }
    }
    return text;
  }

  static std::string port_fields(const Port& port) {
    std::string text;
    if (const auto type = io::type_text(port.type)) text = fmt::format("type: {}", type->text);
    if (!(port.rate == PhaseSequence(1))) {
      text +=
          fmt::format("{}rate: {}", text.empty() ? "" : ", ", io::phases_text(port.rate, false));
    }
    return text;
  }

  static bool is_plain(const Endpoint& end) {
    return io::is_plain_name(end.actor) && io::is_plain_name(end.port);
  }
  static std::string end_text(const Endpoint& end) {
    if (is_plain(end)) return fmt::format("{}.{}", end.actor, end.port);
    return fmt::format("{{actor: {}, port: {}}}", yaml_scalar(end.actor), yaml_scalar(end.port));
  }

  void write_channel(const ChannelModel& channel) {
    const auto type = io::type_text(channel.type);
    const bool bare = channel.name.empty() && !type && !channel.capacity && channel.initial == 0 &&
                      channel.initial_values.empty();
    std::string to;
    bool plain = is_plain(channel.from) && !channel.to.empty();
    for (const auto& end : channel.to) {
      to += fmt::format("{}{}", to.empty() ? "" : ", ", end_text(end));
      plain = plain && is_plain(end);
    }
    if (bare && plain) {
      line("  - {} -> {}", end_text(channel.from), to);
      return;
    }
    if (channel.to.size() != 1) to = fmt::format("[{}]", to);
    std::string rest;
    if (!channel.name.empty()) rest += fmt::format(", name: {}", yaml_scalar(channel.name));
    if (type) rest += fmt::format(", type: {}", type->text);
    if (channel.capacity) rest += fmt::format(", capacity: {}", *channel.capacity);
    line("  - {{from: {}, to: {}{}{}}}", end_text(channel.from), to, rest, initial_text(channel));
  }

  std::string initial_text(const ChannelModel& channel) const {
    if (channel.initial_values.empty()) {
      return channel.initial == 0 ? "" : fmt::format(", initial: {}", channel.initial);
    }
    const auto carried = io::carried_type(channel, ports_);
    if (carried.type != nullptr && carried.ends_exist) {
      if (const auto values =
              io::values_text(channel.initial_values, channel.initial, *carried.type)) {
        return fmt::format(", values: {}", *values);
      }
    }
    return fmt::format(", initial: {}, bytes: {}", channel.initial,
                       io::bytes_text(channel.initial_values));
  }

  const GraphModel& model_;
  io::PortIndex ports_;
  std::string text_;
};

}  // namespace

std::string write_graph(const Graph& graph) {
  return Writer(graph.model()).write();
}

}  // namespace antiphon
