// https://graphviz.org/doc/info/lang.html
#include <antiphon/draw.hpp>

#include "graph/model.hpp"

#include <fmt/format.h>

#include <algorithm>
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

// "3", "1,2,1", "2*1,…".
std::string rate_text(const PhaseSequence& rate) {
  constexpr std::size_t most_runs = 6;
  std::string text;
  const auto add = [&](const std::vector<PhaseRun>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i == most_runs) {
        text += ",…";
        return;
      }
      if (i > 0) text += ',';
      text += runs[i].count == 1 ? fmt::format("{}", runs[i].value)
                                 : fmt::format("{}*{}", runs[i].count, runs[i].value);
    }
  };
  if (!rate.initial_runs().empty()) {
    add(rate.initial_runs());
    text += ';';
  }
  if (rate.is_constant() && rate.initial_runs().empty()) return fmt::format("{}", rate.max());
  add(rate.periodic_runs());
  return text;
}

const Port* find_port(const GraphModel& model, const Endpoint& end) {
  for (const auto& actor : model.actors) {
    if (actor.name != end.actor) continue;
    for (const auto& port : actor.ports) {
      if (port.name == end.port) return &port;
    }
  }
  return nullptr;
}

std::string end_label(const GraphModel& model, const Endpoint& end) {
  const auto* port = find_port(model, end);
  if (port == nullptr) return end.port + " ?";
  const auto rate = rate_text(port->rate);
  return rate == "1" ? end.port : end.port + " " + rate;
}

}  // namespace

std::string to_dot(const Graph& graph, const Report& report) {
  const auto& model = graph.model();
  std::set<std::string> blamed;
  for (const auto& d : report.diagnostics) {
    if (d.severity != Severity::error) continue;
    for (const auto& mark : d.marks) blamed.insert(mark.subject);
  }
  std::string out = fmt::format(
      "digraph {} {{\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n",
      quoted(model.name));
  std::set<std::string> declared;
  for (const auto& actor : model.actors) {
    declared.insert(actor.name);
    const bool red = blamed.count("actor " + actor.name) != 0;
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
    const bool red = blamed.count(name) != 0;
    std::string label = channel.name;
    const auto add = [&](const std::string& text) { label += (label.empty() ? "" : ", ") + text; };
    if (channel.initial > 0) add(fmt::format("{} initial", channel.initial));
    if (channel.capacity) add(fmt::format("holds {}", *channel.capacity));
    declare(channel.from.actor);
    for (const auto& to : channel.to) {
      declare(to.actor);
      out += fmt::format("  {} -> {} [taillabel={}, headlabel={}, label={}{}];\n",
                         quoted(channel.from.actor), quoted(to.actor),
                         quoted(end_label(model, channel.from)), quoted(end_label(model, to)),
                         quoted(label), red ? ", color=red, penwidth=2" : "");
    }
  }
  return out + "}\n";
}

}  // namespace antiphon
