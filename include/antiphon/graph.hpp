// A graph of actors on either side that exchange messages over channels.
#pragma once

#include <antiphon/cpu_function.hpp>
#include <antiphon/kernel.hpp>
#include <antiphon/message_type.hpp>
#include <antiphon/phase_sequence.hpp>
#include <antiphon/place.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace antiphon {

struct GraphModel;

enum class Side { cpu, gpu };
enum class Direction { in, out };

// A port as an actor declares it: so many messages of this type in each firing.
struct Port {
  Direction direction = Direction::in;
  std::string name;
  PhaseSequence rate = 1;
  MessageType type;
  Place place = {};
};

template <typename T>
Port in(std::string name, PhaseSequence rate = 1) {
  return {Direction::in, std::move(name), std::move(rate), message_type<T>()};
}
template <typename T>
Port out(std::string name, PhaseSequence rate = 1) {
  return {Direction::out, std::move(name), std::move(rate), message_type<T>()};
}

// An end of a channel, by name. Made by Actor's brackets; nothing is looked up before the check.
struct Endpoint {
  std::string actor;
  std::string port;
  Place place = {};
};

// A handle to an actor of a graph; valid as long as the graph.
class Actor {
 public:
  Endpoint operator[](std::string port) const { return {name_, std::move(port)}; }
  const std::string& name() const noexcept { return name_; }

 private:
  friend class Graph;
  explicit Actor(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

struct ChannelOptions {
  // Messages that the channel can hold; unless said, the check chooses.
  std::optional<std::int64_t> capacity = {};
  // Messages that lie in it before anything fires.
  std::int64_t initial = 0;
  // Their bytes, message after message; all zero when empty.
  std::vector<std::byte> initial_values = {};
};

// What else is known of an actor.
struct ActorOptions {
  // Firings that may run at once; 0: any number. Each has a copy of the function of its own; they
  // start in order, and what they send is seen in order.
  std::int64_t concurrency = 1;
  // Time of each firing, in ns; unless said, it takes none.
  std::optional<PhaseSequence> cost = {};
  // What it touches outside the graph, by name: a file, a display.
  std::vector<std::string> uses = {};
  // Its function may sleep in a call, and holds a thread meanwhile. CPU actors alone.
  bool blocking = false;
};

// Initial messages with these values.
template <typename T>
ChannelOptions starting_with(std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(values);
  return {.initial = static_cast<std::int64_t>(values.size()),
          .initial_values = {bytes.begin(), bytes.end()}};
}

// Build it with cpu, gpu and connect, or load it from a file (graph_file.hpp); then check it
// (check.hpp) or plan and run it (runtime.hpp). Building finds no fault: the check finds them all,
// at once.
//
// A value: a copy is independent; one that was moved from has no actors. One thread at a time.
class Graph {
 public:
  explicit Graph(std::string name);
  explicit Graph(GraphModel model);
  Graph(const Graph&);
  Graph(Graph&&) noexcept;
  Graph& operator=(const Graph&);
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  const std::string& name() const noexcept;

  // An actor that runs a function on the CPU: one parameter per port, in order, `const T&` for an
  // input and `T&` for an output of rate 1, std::span<const T> and std::span<T> at any rate.
  template <typename F, typename... Ports>
  Actor cpu(std::string name, F function, Ports... ports) {
    return add_cpu(std::move(name), CpuFunction::from(std::move(function)), {std::move(ports)...});
  }
  // An actor that runs a kernel on the GPU.
  template <typename... Ports>
  Actor gpu(std::string name, Kernel kernel, Ports... ports) {
    return add_gpu(std::move(name), std::move(kernel), {std::move(ports)...});
  }
  // Again: all of it anew. Throws Error{misuse} when there is no such actor, or it runs on the GPU
  // and is to block.
  void set(const Actor& actor, ActorOptions options);
  // From one writer to one reader, or to several that each see every message.
  void connect(Endpoint from, Endpoint to, ChannelOptions options = {});
  void connect(Endpoint from, std::vector<Endpoint> to, ChannelOptions options = {});

  // For a graph that came from a file: gives the actor of that name its function or its kernel.
  // Throws Error{misuse} when there is no such actor, it is on the other side, or the function's
  // parameters do not fit its ports.
  template <typename F>
  void bind(std::string_view actor, F function) {
    if constexpr (std::is_same_v<F, Kernel>) {
      bind_gpu(actor, std::move(function));
    } else {
      bind_cpu(actor, CpuFunction::from(std::move(function)));
    }
  }

  // The handle of an actor that exists; throws Error{misuse} when none has that name.
  Actor actor(std::string_view name) const;

  const GraphModel& model() const noexcept;

 private:
  Actor add_cpu(std::string name, CpuFunction function, std::vector<Port> ports);
  Actor add_gpu(std::string name, Kernel kernel, std::vector<Port> ports);
  void bind_cpu(std::string_view actor, CpuFunction function);
  void bind_gpu(std::string_view actor, Kernel kernel);

  GraphModel& mutable_model();

  std::unique_ptr<GraphModel> model_;  // null: moved from
};

}  // namespace antiphon
