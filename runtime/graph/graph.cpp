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

std::string said(const MessageType& type) {
  const auto bytes = std::to_string(type.size) + " bytes";
  return type.name.empty() ? bytes : type.name + " (" + bytes + ")";
}

// Whether the parameter's messages are the port's, as far as both say what they are.
bool same(const Port& port, const MessageType& parameter) {
  const auto& type = port.type;
  if (type.size != 0 && type.size != parameter.size) return false;
  if (!type.name.empty() && !parameter.name.empty() && type.name != parameter.name) return false;
  if (type.cpp != nullptr && (parameter.cpp == nullptr || *type.cpp != *parameter.cpp)) {
    return false;
  }
  // A file knows a type that is more than its bytes by its size alone.
  return type.cpp != nullptr || parameter.cpp == nullptr || type.size == 0 || port.place.known();
}

// Whether a span of the parameter's type sees the port's messages element by element.
bool sees_elements(const MessageType& port, const MessageType& parameter) {
  if (!port.trivial() || !parameter.trivial() || port.elements < 1) return false;
  if (port.size != parameter.size * static_cast<std::size_t>(port.elements)) return false;
  const auto element = port.name.substr(0, port.name.rfind('['));
  return port.name.empty() || parameter.name.empty() || element == parameter.name;
}

// A port of a file may leave its type, or a part of it, to the function's parameter.
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
    const auto name = "'" + actor.name + "." + port.name + "'";
    if (same(port, need.type)) {
      auto type = need.type;
      if (!port.type.name.empty()) type.name = port.type.name;
      if (port.type.size != 0) type.elements = port.type.elements;
      type.alignment = std::max(type.alignment, port.type.alignment);
      port.type = std::move(type);
    } else if (!need.span || !sees_elements(port.type, need.type)) {
      throw Error(ErrorKind::misuse, "port " + name + " has messages of type " + said(port.type) +
                                         ", its function's parameter is of " + said(need.type));
    }
    if (need.writes && port.direction == Direction::in) {
      throw Error(ErrorKind::misuse, "port " + name + " is an input: its parameter must be const");
    }
    if (!need.writes && port.direction == Direction::out) {
      throw Error(ErrorKind::misuse, "port " + name +
                                         " is an output: its parameter must not be const or a "
                                         "copy");
    }
    if (!need.span && !port.rate.is_constant(1)) {
      throw Error(ErrorKind::misuse,
                  "port " + name +
                      " does not move one message in each firing: its parameter must be a "
                      "std::span");
    }
  }
}

}  // namespace

std::string display_name(const ChannelModel& channel) {
  if (!channel.name.empty()) return channel.name;
  // A million readers may each have a message about them that has this name.
  constexpr std::size_t most = 8;
  const auto shown = channel.to.size() > most ? most - 1 : channel.to.size();
  std::string text;
  const auto add = [&](const Endpoint& end) {
    text.append(end.actor).append(1, '.').append(end.port);
  };
  if (shown == 1) {
    const auto& to = channel.to.front();
    text.reserve(channel.from.actor.size() + channel.from.port.size() + to.actor.size() +
                 to.port.size() + 6);
  }
  add(channel.from);
  text += " -> ";
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += ", ";
    add(channel.to[i]);
  }
  if (shown < channel.to.size()) {
    text += " and " + std::to_string(channel.to.size() - shown) + " more";
  }
  return text;
}

Graph::Graph(std::string name) : model_(std::make_unique<GraphModel>()) {
  model_->name = std::move(name);
}
Graph::Graph(GraphModel model) : model_(std::make_unique<GraphModel>(std::move(model))) {}
Graph::Graph(const Graph& other) : model_(std::make_unique<GraphModel>(other.model())) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(const Graph& other) {
  if (this != &other) model_ = std::make_unique<GraphModel>(other.model());
  return *this;
}
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

const GraphModel& Graph::model() const noexcept {
  static const GraphModel nothing;
  return model_ ? *model_ : nothing;
}

GraphModel& Graph::mutable_model() {
  if (!model_) model_ = std::make_unique<GraphModel>();
  return *model_;
}

const std::string& Graph::name() const noexcept {
  return model().name;
}

Actor Graph::add_cpu(std::string name, CpuFunction function, std::vector<Port> ports) {
  ActorModel actor;
  actor.name = name;
  actor.side = Side::cpu;
  adopt(ports, actor, function);
  actor.ports = std::move(ports);
  actor.function = std::move(function);
  mutable_model().actors.push_back(std::move(actor));
  return Actor(std::move(name));
}

Actor Graph::add_gpu(std::string name, Kernel kernel, std::vector<Port> ports) {
  ActorModel actor;
  actor.name = name;
  actor.side = Side::gpu;
  actor.ports = std::move(ports);
  actor.kernel = std::make_shared<const Kernel>(std::move(kernel));
  mutable_model().actors.push_back(std::move(actor));
  return Actor(std::move(name));
}

void Graph::set(const Actor& actor, ActorOptions options) {
  auto& model = mutable_model();
  const auto found = std::find_if(model.actors.begin(), model.actors.end(),
                                  [&](const ActorModel& a) { return a.name == actor.name(); });
  if (found == model.actors.end()) {
    throw Error(ErrorKind::misuse,
                "graph '" + model.name + "' has no actor '" + actor.name() + "' to set");
  }
  if (options.blocking && found->side == Side::gpu) {
    throw Error(ErrorKind::misuse,
                "actor '" + actor.name() + "' runs on the GPU, where nothing blocks a thread");
  }
  found->concurrency = options.concurrency;
  found->cost = std::move(options.cost);
  found->uses = std::move(options.uses);
  found->blocking = options.blocking;
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
  mutable_model().channels.push_back(std::move(channel));
}

void Graph::bind_cpu(std::string_view name, CpuFunction function) {
  auto& actor = find(mutable_model(), name, Side::cpu);
  auto ports = actor.ports;
  adopt(ports, actor, function);
  actor.ports = std::move(ports);
  actor.function = std::move(function);
}

void Graph::bind_gpu(std::string_view name, Kernel kernel) {
  find(mutable_model(), name, Side::gpu).kernel = std::make_shared<const Kernel>(std::move(kernel));
}

Actor Graph::actor(std::string_view name) const {
  for (const auto& actor : model().actors) {
    if (actor.name == name) return Actor(actor.name);
  }
  throw Error(ErrorKind::misuse,
              "graph '" + model().name + "' has no actor '" + std::string(name) + "'");
}

}  // namespace antiphon
