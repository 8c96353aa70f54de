// https://graphviz.org/doc/info/lang.html
#include <antiphon/draw.hpp>

#include "graph/model.hpp"
#include "io/carried_type.hpp"
#include "io/drawing.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

namespace antiphon {

namespace {

// In quotes, only a quote and a backslash mean anything.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "\"";
}

std::string end_label(const io::PortIndex& ports, const Endpoint& end, Direction direction) {
  const auto* port = ports.find(end, direction);
  if (port == nullptr) return end.port + " ?";
  return io::port_label(end.port, port->rate);
}

}  // namespace

std::string to_dot(const Graph& graph, const Report& report) {
  const auto& model = graph.model();
  const io::PortIndex ports(model.actors);
  const io::Blamed blamed(report);
  std::string out = fmt::format(
      "digraph {} {{\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n",
      quoted(model.name));
  std::set<std::string> declared;
  for (const auto& actor : model.actors) {
    declared.insert(actor.name);
    const bool red = blamed.actor(actor.name);
    out += fmt::format(
        "  {} [shape={}{}];\n", quoted(actor.name),
        actor.side == Side::gpu ? "box, style=filled, fillcolor=\"#fbe3d2\"" : "ellipse",
        red ? ", color=red" : "");
  }
  const auto declare = [&](const std::string& name) {
    if (!declared.insert(name).second) return;
    out += fmt::format("  {} [shape=plaintext, fontcolor=red];\n", quoted(name));
  };
  for (const auto& channel : model.channels) {
    const auto name = display_name(channel);
    const bool red = blamed.channel(name);
    std::string label = channel.name;
    const auto add = [&](const std::string& text) { label += (label.empty() ? "" : ", ") + text; };
    if (channel.initial > 0) add(fmt::format("{} initial", channel.initial));
    if (channel.capacity) add(fmt::format("holds {}", *channel.capacity));
    declare(channel.from.actor);
    for (const auto& to : channel.to) {
      declare(to.actor);
      out += fmt::format("  {} -> {} [taillabel={}, headlabel={}, label={}{}];\n",
                         quoted(channel.from.actor), quoted(to.actor),
                         quoted(end_label(ports, channel.from, Direction::out)),
                         quoted(end_label(ports, to, Direction::in)), quoted(label),
                         red ? ", color=red, penwidth=2" : "");
    }
  }
  return out + "}\n";
}

}  // namespace antiphon
