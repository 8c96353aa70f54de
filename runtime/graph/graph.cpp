#include <antiphon/error.hpp>
#include <antiphon/graph.hpp>

#include "graph/model.hpp"

#include <algorithm>
#include <utility>

namespace antiphon {

namespace {

ActorModel& find(GraphModel& model, std::string_view name, Side side) {
  const auto found = std::find_if(model.actors.begin(), model.actors.end(),
                                  [&](const ActorModel& a) { return a.name == name; });
  if (found == model.actors.end()) {
    throw Error(ErrorKind::misuse,
                "graph '" + model.name + "' has no actor '" + std::string(name) + "' to bind");
  }
  if (found->side != side) {
    throw Error(ErrorKind::misuse, "actor '" + found->name + "' is on the " +
                                       (side == Side::cpu ? "gpu" : "cpu") + ": bind a " +
                                       (side == Side::cpu ? "Kernel" : "function") + " to it");
  }
  return *found;
}

// A port of a file may have no size of its own: the function's parameter gives it.
void adopt(std::vector<Port>& ports, const ActorModel& actor, const CpuFunction& function) {
  const auto& needs = function.needs();
  if (needs.size() != ports.size()) {
    throw Error(ErrorKind::misuse, "actor '" + actor.name + "' has " +
                                       std::to_string(ports.size()) + " ports, its function has " +
                                       std::to_string(needs.size()) + " parameters");
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    auto& port = ports[i];
    const auto& need = needs[i];
    const bool scalar_view =
        need.span && port.type.elements > 0 && need.size > 0 &&
        port.type.size == need.size * static_cast<std::size_t>(port.type.elements);
    if (port.type.size != 0 && port.type.size != need.size && !scalar_view) {
      throw Error(ErrorKind::misuse, "port '" + actor.name + "." + port.name +
                                         "' has messages of " + std::to_string(port.type.size) +
                                         " bytes, its function's parameter has " +
                                         std::to_string(need.size));
    }
    if (port.type.size == 0) port.type.size = need.size;
    if (need.writes && port.direction == Direction::in) {
      throw Error(ErrorKind::misuse, "port '" + actor.name + "." + port.name +
                                         "' is an input: its parameter must be const");
    }
    if (!need.writes && port.direction == Direction::out) {
      throw Error(ErrorKind::misuse,
                  "port '" + actor.name + "." + port.name +
                      "' is an output: its parameter must not be const or a copy");
    }
    if (!need.span && !port.rate.is_constant(1)) {
      throw Error(ErrorKind::misuse,
                  "port '" + actor.name + "." + port.name +
                      "' does not move one message in each firing: its parameter "
                      "must be a std::span");
    }
  }
}

}  // namespace

std::string display_name(const ChannelModel& channel) {
  if (!channel.name.empty()) return channel.name;
  std::string text = channel.from.actor + "." + channel.from.port + " -> ";
  for (std::size_t i = 0; i < channel.to.size(); ++i) {
    if (i != 0) text += ", ";
    text += channel.to[i].actor + "." + channel.to[i].port;
  }
  return text;
}

Graph::Graph(std::string name) : model_(std::make_unique<GraphModel>()) {
  model_->name = std::move(name);
}
Graph::Graph(GraphModel model) : model_(std::make_unique<GraphModel>(std::move(model))) {}
Graph::Graph(const Graph& other) : model_(std::make_unique<GraphModel>(*other.model_)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(const Graph& other) {
  if (this != &other) model_ = std::make_unique<GraphModel>(*other.model_);
  return *this;
}
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

const std::string& Graph::name() const noexcept {
  return model_->name;
}

Actor Graph::add_cpu(std::string name, CpuFunction function, std::vector<Port> ports) {
  ActorModel actor;
  actor.name = name;
  actor.side = Side::cpu;
  adopt(ports, actor, function);
  actor.ports = std::move(ports);
  actor.function = std::move(function);
  model_->actors.push_back(std::move(actor));
  return Actor(std::move(name));
}

Actor Graph::add_gpu(std::string name, Kernel kernel, std::vector<Port> ports) {
  ActorModel actor;
  actor.name = name;
  actor.side = Side::gpu;
  actor.ports = std::move(ports);
  actor.kernel = std::move(kernel);
  model_->actors.push_back(std::move(actor));
  return Actor(std::move(name));
}

void Graph::connect(Endpoint from, Endpoint to, ChannelOptions options) {
  connect(std::move(from), std::vector<Endpoint>{std::move(to)}, std::move(options));
}

void Graph::connect(Endpoint from, std::vector<Endpoint> to, ChannelOptions options) {
  ChannelModel channel;
  channel.from = std::move(from);
  channel.to = std::move(to);
  channel.capacity = options.capacity;
  channel.initial = options.initial;
  channel.initial_values = std::move(options.initial_values);
  model_->channels.push_back(std::move(channel));
}

void Graph::bind_cpu(std::string_view name, CpuFunction function) {
  auto& actor = find(*model_, name, Side::cpu);
  auto ports = actor.ports;
  adopt(ports, actor, function);
  actor.ports = std::move(ports);
  actor.function = std::move(function);
}

void Graph::bind_gpu(std::string_view name, Kernel kernel) {
  find(*model_, name, Side::gpu).kernel = std::move(kernel);
}

Actor Graph::actor(std::string_view name) const {
  for (const auto& actor : model_->actors) {
    if (actor.name == name) return Actor(actor.name);
  }
  throw Error(ErrorKind::misuse,
              "graph '" + model_->name + "' has no actor '" + std::string(name) + "'");
}

}  // namespace antiphon
