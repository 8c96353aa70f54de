// A graph as SDF3 XML. What SDF3's channels and actors cannot say of themselves becomes channels of
// its own, so that the same relation comes out: room that is given back, and firings that wait for
// earlier ones.
#include "graph/conversion_rules.hpp"
#include "graph/model.hpp"
#include "io/carried_type.hpp"
#include "io/write_text.hpp"

#include <antiphon/graph_file.hpp>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace antiphon {

namespace {

std::string counted(std::size_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

// "2*1,3" or, with initial phases, "5;2*1,3" (Kiter's extension).
std::string phases_attribute(const PhaseSequence& phases) {
  std::string text;
  const auto add = [&](std::span<const PhaseRun> runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i != 0) text += ',';
      if (runs[i].count != 1) text += fmt::format("{}*", runs[i].count);
      text += fmt::format("{}", runs[i].value);
    }
  };
  add(phases.initial_runs());
  if (phases.initial_phases() != 0) text += ';';
  add(phases.periodic_runs());
  return text;
}

bool has_one_phase(const PhaseSequence& phases) {
  return phases.initial_phases() == 0 && phases.phases() == 1;
}

// Names that are there once.
class UniqueNames {
 public:
  std::string take(const std::string& wanted) {
    const auto [at, fresh] = taken_.try_emplace(wanted, 2);
    if (fresh) return wanted;
    auto& next = at->second;  // stays where it is, whatever else is added
    for (;;) {
      auto name = fmt::format("{}_{}", wanted, next++);
      if (taken_.try_emplace(name, 2).second) return name;
    }
  }

 private:
  std::unordered_map<std::string, int> taken_;  // and the number to try next
};

// A kind of thing that is lost, and where it stood.
class Loss {
 public:
  void at(const Place& place, const std::string& subject) {
    constexpr std::size_t most_marks = 3;
    if (count_++ < most_marks) marks_.push_back({place, subject, ""});
  }
  std::size_t count() const noexcept { return count_; }
  void report(std::string message, std::string note, std::vector<Diagnostic>& lost) {
    if (count_ == 0) return;
    Diagnostic diagnostic;
    diagnostic.code = conversion_rules::no_words_for.code;
    diagnostic.severity = conversion_rules::no_words_for.severity;
    diagnostic.message = std::move(message);
    if (!note.empty()) diagnostic.notes.push_back(std::move(note));
    if (count_ > marks_.size()) {
      diagnostic.notes.push_back(fmt::format("{} more are not shown", count_ - marks_.size()));
    }
    diagnostic.marks = std::move(marks_);
    lost.push_back(std::move(diagnostic));
  }

 private:
  std::size_t count_ = 0;
  std::vector<Mark> marks_;
};

class Sdf3Writer {
 public:
  explicit Sdf3Writer(const GraphModel& model) : model_(model), ports_(model.actors) {}

  Sdf3Text write() {
    prepare_actors();
    for (const auto& channel : model_.channels) named_.push_back(channel_name(channel));
    for (std::size_t c = 0; c < model_.channels.size(); ++c) prepare_channel(c);
    Sdf3Text result;
    result.text = text();
    report(result.lost);
    return result;
  }

 private:
  struct WrittenPort {
    std::string name;
    Direction direction = Direction::in;
    PhaseSequence rate;
  };
  struct WrittenActor {
    std::vector<WrittenPort> ports;
    UniqueNames names;
  };
  struct WrittenChannel {
    std::string name;
    Endpoint from;
    Endpoint to;
    std::int64_t initial = 0;
    std::size_t size = 0;
  };

  bool sdf3() const { return model_.semantics == Semantics::sdf3; }

  // Throws for names that no file can hold.
  static const std::string& printable(const std::string& name) {
    (void)io::yaml_scalar(name);
    return name;
  }

  // One that has no name of its own goes by the one that it has in messages.
  std::string channel_name(const ChannelModel& channel) {
    return channel_names_.take(printable(display_name(channel)));
  }

  void prepare_actors() {
    for (const auto& actor : model_.actors) {
      auto& written = actors_.emplace_back();
      by_name_.emplace(actor.name, actors_.size() - 1);
      for (const auto& port : actor.ports) {
        written.ports.push_back({printable(port.name), port.direction, port.rate});
        written.names.take(port.name);
      }
      if (actor.side == Side::gpu) gpu_.at(actor.place, "actor " + actor.name);
      if (actor.cost && !sdf3()) times_.at(actor.place, "actor " + actor.name);
    }
  }

  // Firing n waits for n + 1 - k to have ended: k messages go round.
  void limit_concurrency(const ActorModel& actor, WrittenActor& written) {
    if (actor.concurrency == 0) return;
    WrittenChannel channel;
    channel.name = channel_names_.take("concurrency of " + actor.name);
    channel.from = add_port(written, actor.name, "self_out", Direction::out, 1);
    channel.to = add_port(written, actor.name, "self_in", Direction::in, 1);
    channel.initial = actor.concurrency;
    channels_.push_back(std::move(channel));
  }

  static Endpoint add_port(WrittenActor& written, const std::string& actor,
                           const std::string& wanted, Direction direction,
                           const PhaseSequence& rate) {
    auto name = written.names.take(wanted);
    written.ports.push_back({name, direction, rate});
    return {actor, std::move(name)};
  }

  WrittenActor* written(const Endpoint& end) {
    const auto found = by_name_.find(end.actor);
    return found == by_name_.end() ? nullptr : &actors_[found->second];
  }

  void prepare_channel(std::size_t index) {
    const auto& channel = model_.channels[index];
    const auto name = display_name(channel);
    const auto bad = [&](const std::string& what) {
      return Error(ErrorKind::misuse,
                   fmt::format("the channel '{}' {}, and cannot be written as SDF3: check the "
                               "graph first",
                               name, what));
    };
    if (channel.initial < 0) {
      throw bad(fmt::format("starts with {} messages", channel.initial));
    }
    if (channel.capacity && *channel.capacity < channel.initial) {
      throw bad(
          fmt::format("starts with {} messages and holds {}", channel.initial, *channel.capacity));
    }
    const auto carried = io::carried_type(channel, ports_);
    note_losses(channel, name, carried.type);
    const auto* source = ports_.find(channel.from, Direction::out);
    for (std::size_t r = 0; r < channel.to.size(); ++r) {
      WrittenChannel one;
      one.name = r == 0 ? named_[index] : channel_names_.take(named_[index]);
      one.from = channel.from;
      if (r != 0 && source != nullptr) {
        one.from = add_port(*written(channel.from), channel.from.actor, channel.from.port,
                            Direction::out, source->rate);
      }
      one.to = channel.to[r];
      one.initial = channel.initial;
      one.size = carried.type == nullptr ? 0 : carried.type->size;
      const auto* target = ports_.find(channel.to[r], Direction::in);
      if (channel.capacity && source != nullptr && target != nullptr) {
        // Taken when the writer starts a firing, and given back when the reader ends one.
        WrittenChannel room;
        room.name = channel_names_.take("room of " + one.name);
        room.from = add_port(*written(one.to), one.to.actor, one.to.port + "_room", Direction::out,
                             target->rate);
        room.to = add_port(*written(one.from), one.from.actor, one.from.port + "_room",
                           Direction::in, source->rate);
        room.initial = *channel.capacity - channel.initial;
        rooms_.push_back(std::move(room));
      }
      channels_.push_back(std::move(one));
    }
  }

  void note_losses(const ChannelModel& channel, const std::string& name, const MessageType* type) {
    if (channel.capacity) {
      rooms_lost_.at(channel.place, name);
    } else if (!sdf3()) {
      auto_.at(channel.place, name);
    }
    if (channel.to.size() > 1) readers_.at(channel.place, name);
    if (type != nullptr && (!type->name.empty() || type->alignment != 1 || type->elements != 1)) {
      types_.at(channel.place, name);
    }
    if (!channel.initial_values.empty()) values_.at(channel.initial_place, name);
  }

  void report(std::vector<Diagnostic>& lost) {
    gpu_.report(fmt::format("SDF3 knows neither GPUs nor kernels: {} lost them",
                            counted(gpu_.count(), "actor")),
                {}, lost);
    times_.report(fmt::format("SDF3's times have no unit: those of {} are in nanoseconds",
                              counted(times_.count(), "actor")),
                  {}, lost);
    auto_.report(fmt::format("SDF3's channels hold any number of messages: so do {} whose "
                             "capacity is left to the check",
                             counted(auto_.count(), "channel")),
                 "give them capacities to keep the speed that they allow", lost);
    rooms_lost_.report(
        fmt::format("SDF3's channels hold any number of messages: the capacity of {} is a channel "
                    "back to the writer",
                    counted(rooms_lost_.count(), "channel")),
        "the graph is as fast as before; but its speed with other capacities, and the least ones, "
        "no longer follow from the file",
        lost);
    readers_.report(fmt::format("an SDF3 channel has one reader: {} with several became one for "
                                "each",
                                counted(readers_.count(), "channel")),
                    "each counts its messages and bytes by itself", lost);
    types_.report(fmt::format("SDF3 knows of a message its size alone: {} lost the rest of the "
                              "type",
                              counted(types_.count(), "channel")),
                  {}, lost);
    for (const auto& actor : model_.actors) {
      if (!actor.uses.empty() || actor.blocking) uses_.at(actor.place, actor.name);
    }
    uses_.report(
        fmt::format("SDF3 knows nothing outside the graph: {} lost what they use or wait for",
                    counted(uses_.count(), "actor")),
        {}, lost);
    const auto& require = model_.require;
    for (const auto& r : require.throughput) require_.at(r.place, "throughput");
    for (const auto& r : require.latency) require_.at(r.place, "latency");
    if (require.memory) require_.at(require.memory->place, "memory");
    require_.report(
        fmt::format("SDF3 has no words for {}", counted(require_.count(), "requirement")),
        "the file's graph is no longer held to them", lost);
    values_.report(fmt::format("SDF3 knows the number of initial messages alone: {} lost the "
                               "values",
                               counted(values_.count(), "channel")),
                   {}, lost);
  }

  bool all_have_one_phase() const {
    return std::all_of(model_.actors.begin(), model_.actors.end(), [](const ActorModel& actor) {
      return (!actor.cost || has_one_phase(*actor.cost)) &&
             std::all_of(actor.ports.begin(), actor.ports.end(),
                         [](const Port& port) { return has_one_phase(port.rate); });
    });
  }

  std::string text() {
    for (std::size_t a = 0; a < actors_.size(); ++a) {
      limit_concurrency(model_.actors[a], actors_[a]);
    }
    std::move(rooms_.begin(), rooms_.end(), std::back_inserter(channels_));
    const char* type = all_have_one_phase() ? "sdf" : "csdf";
    const auto name = model_.name.empty() ? std::string("graph") : printable(model_.name);
    pugi::xml_document document;
    auto declaration = document.append_child(pugi::node_declaration);
    declaration.append_attribute("version") = "1.0";
    declaration.append_attribute("encoding") = "UTF-8";
    auto root = document.append_child("sdf3");
    root.append_attribute("type") = type;
    root.append_attribute("version") = "1.0";
    auto application = root.append_child("applicationGraph");
    application.append_attribute("name") = name.c_str();
    auto graph = application.append_child(type);
    graph.append_attribute("name") = name.c_str();
    graph.append_attribute("type") = name.c_str();
    for (std::size_t a = 0; a < actors_.size(); ++a) append_actor(graph, a);
    for (const auto& channel : channels_) append_channel(graph, channel);
    auto properties = application.append_child((std::string(type) + "Properties").c_str());
    for (const auto& actor : model_.actors) append_cost(properties, actor);

    struct Out : pugi::xml_writer {
      std::string text;
      void write(const void* data, std::size_t size) override {
        text.append(static_cast<const char*>(data), size);
      }
    } out;
    document.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
    return std::move(out.text);
  }

  void append_actor(pugi::xml_node& graph, std::size_t a) {
    auto node = graph.append_child("actor");
    node.append_attribute("name") = printable(model_.actors[a].name).c_str();
    node.append_attribute("type") = model_.actors[a].name.c_str();
    for (const auto& port : actors_[a].ports) {
      auto child = node.append_child("port");
      child.append_attribute("name") = port.name.c_str();
      child.append_attribute("type") = port.direction == Direction::in ? "in" : "out";
      child.append_attribute("rate") = phases_attribute(port.rate).c_str();
    }
  }

  static void append_channel(pugi::xml_node& graph, const WrittenChannel& channel) {
    auto node = graph.append_child("channel");
    node.append_attribute("name") = channel.name.c_str();
    node.append_attribute("srcActor") = channel.from.actor.c_str();
    node.append_attribute("srcPort") = channel.from.port.c_str();
    node.append_attribute("dstActor") = channel.to.actor.c_str();
    node.append_attribute("dstPort") = channel.to.port.c_str();
    if (channel.size != 0) node.append_attribute("size") = fmt::to_string(channel.size).c_str();
    if (channel.initial != 0) {
      node.append_attribute("initialTokens") = fmt::to_string(channel.initial).c_str();
    }
  }

  static void append_cost(pugi::xml_node& properties, const ActorModel& actor) {
    if (!actor.cost) return;
    auto of_actor = properties.append_child("actorProperties");
    of_actor.append_attribute("actor") = actor.name.c_str();
    auto processor = of_actor.append_child("processor");
    processor.append_attribute("type") = actor.side == Side::gpu ? "gpu" : "cpu";
    processor.append_attribute("default") = "true";
    processor.append_child("executionTime").append_attribute("time") =
        phases_attribute(*actor.cost).c_str();
  }

  const GraphModel& model_;
  const io::PortIndex ports_;
  UniqueNames channel_names_;
  std::vector<std::string> named_;  // per channel of the graph
  std::vector<WrittenActor> actors_;
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::vector<WrittenChannel> channels_;
  std::vector<WrittenChannel> rooms_;  // after the graph's own, which are then the first
  Loss gpu_, times_, auto_, rooms_lost_, readers_, types_, values_, uses_, require_;
};

}  // namespace

Sdf3Text write_sdf3(const Graph& graph) {
  return Sdf3Writer(graph.model()).write();
}

}  // namespace antiphon
