#include "check/structure.hpp"

#include "base/prefetch.hpp"

#include "check/findings.hpp"
#include "check/names.hpp"
#include "check/rules.hpp"
#include "graph/format_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace antiphon::analysis {

namespace {

std::string port_name(const ActorModel& actor, const Port& port) {
  return actor.name + "." + port.name;
}

std::string type_text(const MessageType& type) {
  if (!type.name.empty()) return type.name;
  return counted(static_cast<std::int64_t>(type.size), "byte");
}

// What the ends of a channel have said so far of its messages, and who said it.
struct Known {
  MessageType type;
  const void* named_by = nullptr;  // an end; null: the channel itself
  const void* sized_by = nullptr;
};

enum class Conflict { none, name, size, cpp };

// Ends that say neither a name nor a size fit any.
Conflict conflict(const MessageType& known, const MessageType& type) {
  if (!known.name.empty() && !type.name.empty() && known.name != type.name) return Conflict::name;
  if (known.size == 0 || type.size == 0) return Conflict::none;
  if (known.size != type.size) return Conflict::size;
  const bool differ = known.cpp != nullptr && type.cpp != nullptr && *known.cpp != *type.cpp;
  return differ ? Conflict::cpp : Conflict::none;
}

// The types of two things that have to be the same, in words that tell them apart.
std::pair<std::string, std::string> differing(const MessageType& a, const MessageType& b) {
  auto first = type_text(a);
  auto second = type_text(b);
  if (a.name.empty() != b.name.empty() || first == second) {
    const auto with_size = [](const MessageType& t) {
      const auto bytes = counted(static_cast<std::int64_t>(t.size), "byte");
      return t.name.empty() ? bytes : fmt::format("{} ({})", t.name, bytes);
    };
    first = with_size(a);
    second = with_size(b);
  }
  return {first, second};
}

class Structure {
 public:
  Structure(const GraphModel& model, std::vector<Diagnostic>& diagnostics)
      : model_(model), found_(model), out_(diagnostics) {
    first_end_.reserve(model.actors.size() + 1);
    first_end_.push_back(0);
    for (const auto& a : model.actors) first_end_.push_back(first_end_.back() + a.ports.size());
    ends_.resize(first_end_.back());
  }

  Ends check() && {
    if (model_.actors.empty()) {
      auto& d = add(rule::no_actors, fmt::format("graph '{}' has no actors", model_.name));
      if (model_.place.known()) d.marks.push_back({model_.place, "graph " + model_.name, ""});
      d.help = "add actors, and channels between their ports";
    }
    check_actors();
    std::unordered_map<std::string_view, const ChannelModel*> named;
    for (std::size_t c = 0; c < model_.channels.size(); ++c) {
      const auto& channel = model_.channels[c];
      ask_for_ends(c);
      if (!channel.name.empty()) {
        const auto [at, fresh] = named.emplace(channel.name, &channel);
        if (!fresh) {
          auto& d = add(rule::duplicate_channel,
                        fmt::format("two channels have the name '{}'", channel.name));
          d.marks.push_back({channel.place, "channel " + channel.name, "again here"});
          d.marks.push_back({at->second->place, "channel " + channel.name, "first here"});
          d.help = "give one of them another name, or none";
        }
      }
      check_channel(c);
    }
    check_unconnected();
    if (count_ > most) {
      out_.back().notes.push_back(
          fmt::format("{} faults more were found and are not shown", count_ - most));
    }
    return std::move(found_);
  }

 private:
  struct End {
    const ChannelModel* channel = nullptr;  // the first that uses the port
    bool named_wrongly = false;             // a channel meant it and has been reported
  };
  using Resolved = Ends::End;

  // More than this are counted and not kept: nobody reads them.
  static constexpr std::size_t most = 10'000;

  Diagnostic& add(const Rule& rule, std::string message) {
    if (++count_ > most) return not_kept_ = finding(rule, {});
    out_.push_back(finding(rule, std::move(message)));
    return out_.back();
  }

  void check_actors() {
    for (std::uint32_t a = 0; a < model_.actors.size(); ++a) {
      const auto& actor = model_.actors[a];
      if (actor.name.empty()) {
        auto& d = add(graph_rules::bad_name, "an actor's name is empty");
        d.marks.push_back({actor.place, fmt::format("actor {} of the graph", a + 1), ""});
        d.help = "give it a name: channels and messages speak of it";
      }
      if (const auto first = found_.first_of_name(a); first != a) {
        auto& d =
            add(rule::duplicate_actor, fmt::format("two actors have the name '{}'", actor.name));
        d.marks.push_back({actor.place, "actor " + actor.name, "again here"});
        d.marks.push_back({model_.actors[first].place, "actor " + actor.name, "first here"});
        d.help = "give one of them another name";
      }
      if (actor.concurrency < 0) {
        auto& d = add(graph_rules::bad_concurrency,
                      fmt::format("the concurrency of '{}' is {}", actor.name, actor.concurrency));
        d.marks.push_back({actor.place, "actor " + actor.name, ""});
        d.help = "give it 1 or more, or 0 for any number";
      }
      check_ports(a);
      check_phases(actor);
      const bool writes = std::any_of(actor.ports.begin(), actor.ports.end(),
                                      [](const Port& p) { return p.direction == Direction::out; });
      if (actor.side == Side::gpu && !writes) {
        auto& d =
            add(rule::gpu_without_output, fmt::format("GPU actor '{}' has no output", actor.name));
        d.marks.push_back({actor.place, "actor " + actor.name, ""});
        d.help = "give it an output that another actor reads";
      }
    }
  }

  void check_ports(std::uint32_t a) {
    const auto& actor = model_.actors[a];
    for (std::uint32_t p = 0; p < actor.ports.size(); ++p) {
      const auto& port = actor.ports[p];
      if (port.name.empty()) {
        auto& d = add(graph_rules::bad_name,
                      fmt::format("the name of a port of '{}' is empty", actor.name));
        d.marks.push_back({port.place, fmt::format("port {} of {}", p + 1, actor.name), ""});
        d.help = "give it a name: channels speak of it";
      }
      if (const auto first = first_port(actor, p); first != p) {
        auto& d = add(rule::duplicate_port,
                      fmt::format("two ports of '{}' have the name '{}'", actor.name, port.name));
        d.marks.push_back({port.place, "port " + port_name(actor, port), "again here"});
        d.marks.push_back(
            {actor.ports[first].place, "port " + port_name(actor, port), "first here"});
        d.help = "give one of them another name";
      }
    }
  }

  // The first port of the actor that has the name of this one.
  std::uint32_t first_port(const ActorModel& actor, std::uint32_t port) {
    constexpr std::uint32_t few = 16;
    if (port <= few) {
      std::uint32_t first = 0;
      while (actor.ports[first].name != actor.ports[port].name) ++first;
      return first;
    }
    if (port == few + 1) {
      port_names_.clear();
      for (std::uint32_t p = 0; p < port; ++p) port_names_.emplace(actor.ports[p].name, p);
    }
    return port_names_.emplace(actor.ports[port].name, port).first->second;
  }

  // All sequences of an actor advance together, firing by firing: they agree in how many initial
  // phases they have and in their period, unless the one is 0 or the other 1 and fits anything.
  void check_phases(const ActorModel& actor) {
    struct Item {
      const PhaseSequence* sequence;
      std::string name;
      const Place* place;
    };
    const Item* initial = nullptr;
    const Item* periodic = nullptr;
    std::vector<Item> items;
    for (const auto& port : actor.ports) {
      if (port.rate.phases() == 1 && port.rate.initial_phases() == 0) continue;
      items.push_back({&port.rate, "the rate of " + quoted(port_name(actor, port)), &port.place});
    }
    if (actor.cost && (actor.cost->phases() > 1 || actor.cost->initial_phases() > 0)) {
      items.push_back({&*actor.cost, "the cost of " + quoted(actor.name), &actor.place});
    }
    for (const auto& item : items) {
      const auto disagrees = [&](const Item& with, std::string_view phase, std::int64_t mine,
                                 std::int64_t other) {
        auto& d = add(rule::phases_differ, fmt::format("{} has {}, {} has {}", item.name,
                                                       counted(mine, phase), with.name, other));
        d.marks.push_back({*item.place, item.name, counted(mine, phase)});
        d.marks.push_back({*with.place, with.name, counted(other, phase)});
        d.help = fmt::format("give all rates and the cost of '{}' the same number of phases",
                             actor.name);
      };
      if (initial == nullptr) initial = &item;
      if (item.sequence->initial_phases() != initial->sequence->initial_phases()) {
        disagrees(*initial, "initial phase", item.sequence->initial_phases(),
                  initial->sequence->initial_phases());
        continue;
      }
      if (item.sequence->phases() == 1) continue;
      if (periodic == nullptr) periodic = &item;
      if (item.sequence->phases() != periodic->sequence->phases()) {
        disagrees(*periodic, "phase", item.sequence->phases(), periodic->sequence->phases());
      }
    }
  }

  std::optional<Resolved> resolve(const ChannelModel& channel, const Endpoint& end,
                                  const Ends::End& found, Direction wanted) {
    const auto& place = end.place.known() ? end.place : channel.place;
    if (found.actor == Ends::none) {
      auto& d = add(rule::unknown_actor, fmt::format("there is no actor '{}'", end.actor));
      d.marks.push_back({place, display_name(channel), ""});
      const auto like = names().like_actor(end.actor);
      for (const auto a : like.meant) {
        if (const auto p = names().port(a, end.port))
          ends_[first_end_[a] + *p].named_wrongly = true;
      }
      d.help = like.text.empty() ? fmt::format("add the actor '{}', or name another", end.actor)
                                 : like.text;
      return std::nullopt;
    }
    if (found.port == Ends::none) {
      auto& d =
          add(rule::unknown_port, fmt::format("actor '{}' has no port '{}'", end.actor, end.port));
      d.marks.push_back({place, display_name(channel), ""});
      const auto like = names().like_port(found.actor, end.port);
      for (const auto p : like.meant) ends_[first_end_[found.actor] + p].named_wrongly = true;
      d.help = like.text.empty() ? fmt::format("declare the port '{}' at '{}', or name another",
                                               end.port, end.actor)
                                 : like.text;
      return std::nullopt;
    }
    const auto& declared = model_.actors[found.actor].ports[found.port];
    auto& use = ends_[first_end_[found.actor] + found.port];
    const auto name = [&] { return end.actor + "." + end.port; };
    if (declared.direction != wanted) {
      const bool is_input = declared.direction == Direction::in;
      auto& d =
          add(rule::wrong_direction,
              fmt::format("'{}' is an {}, and '{}' {} it", name(), is_input ? "input" : "output",
                          display_name(channel), is_input ? "begins at" : "ends at"));
      d.marks.push_back({place, display_name(channel), ""});
      d.marks.push_back({declared.place, "port " + name(), is_input ? "an input" : "an output"});
      d.help = "write channels as output -> input";
      use.named_wrongly = true;
      return std::nullopt;
    }
    if (use.channel != nullptr) {
      auto& d = add(rule::port_used_twice,
                    fmt::format("'{}' is the end of more than one channel", name()));
      d.marks.push_back({place, display_name(channel), "again here"});
      d.marks.push_back({use.channel->place, display_name(*use.channel), "first here"});
      d.help = wanted == Direction::out
                   ? fmt::format("for several readers, write one channel: {} -> [reader, reader]",
                                 name())
                   : fmt::format("give '{}' an input for each writer", end.actor);
      return std::nullopt;
    }
    use.channel = &channel;
    return found;
  }

  const Port& port(const Resolved& end) const { return model_.actors[end.actor].ports[end.port]; }
  const ActorModel& actor(const Resolved& end) const { return model_.actors[end.actor]; }

  // Those of channels that are looked at soon lie anywhere.
  void ask_for_ends(std::size_t c) const {
    constexpr std::size_t soon = 8;
    const auto each_end = [&](std::size_t channel, const auto& visit) {
      if (channel >= model_.channels.size() || model_.channels[channel].to.size() > soon) return;
      visit(found_.from(channel));
      for (std::size_t r = 0; r < model_.channels[channel].to.size(); ++r) {
        visit(found_.to(channel, r));
      }
    };
    each_end(c + 2 * soon, [&](const Ends::End& end) {
      if (end.actor != Ends::none) ask_for(&model_.actors[end.actor].ports);
    });
    each_end(c + soon, [&](const Ends::End& end) {
      if (end.port == Ends::none) return;
      ask_for(&port(end));
      ask_for(&port(end).type);
      ask_for(&ends_[first_end_[end.actor] + end.port]);
    });
  }

  // Needed only where a name means nothing.
  Names& names() {
    if (!names_) names_.emplace(model_);
    return *names_;
  }

  void check_channel(std::size_t c) {
    const auto& channel = model_.channels[c];
    if (channel.to.empty()) {
      auto& d = add(rule::no_reader, fmt::format("the channel from '{}.{}' has no reader",
                                                 channel.from.actor, channel.from.port));
      d.marks.push_back({channel.place, display_name(channel), ""});
      d.help = "name the input that it leads to";
    }
    auto& ends = resolved_;
    ends.clear();
    if (const auto writer = resolve(channel, channel.from, found_.from(c), Direction::out)) {
      ends.push_back(*writer);
    }
    for (std::size_t r = 0; r < channel.to.size(); ++r) {
      const auto reader = resolve(channel, channel.to[r], found_.to(c, r), Direction::in);
      if (reader) ends.push_back(*reader);
    }
    const auto size = check_types(channel, ends);
    check_numbers(channel, ends, size);
  }

  // Returns the bytes of a message, 0 where nobody says.
  std::size_t check_types(const ChannelModel& channel, const std::vector<Resolved>& ends) {
    Known known{channel.type, nullptr, nullptr};
    bool compatible = true;
    bool plain = channel.type.trivial();
    bool device = false;
    for (const auto& end : ends) {
      const auto& type = port(end).type;
      plain = plain && type.trivial();
      device = device || actor(end).side == Side::gpu;
      const auto differs = conflict(known.type, type);
      if (differs != Conflict::none) {
        compatible = false;
        const auto* whose = static_cast<const Resolved*>(
            differs == Conflict::name ? known.named_by : known.sized_by);
        auto [has, needs] = differing(known.type, type);
        if (differs == Conflict::cpp) {
          needs += " of another C++ type";
        }
        auto& d = add(
            rule::type_mismatch,
            fmt::format("the ends of '{}' do not carry the same messages", display_name(channel)));
        d.marks.push_back(
            {channel.place, display_name(channel), fmt::format("has {}, needs {}", has, needs)});
        // Where a file shows the two ends, their places say it.
        const auto show = [&](const Resolved& side, const std::string& text) {
          const auto name = quoted(port_name(actor(side), port(side)));
          if (port(side).place.known()) {
            d.marks.push_back({port(side).place, name, "has " + text});
          } else {
            d.notes.push_back(fmt::format("{} has {}", name, text));
          }
        };
        if (whose != nullptr) show(*whose, has);
        show(end, needs);
        d.help = "give them the same type, or put an actor between them that converts";
        continue;
      }
      if (known.type.name.empty() && !type.name.empty()) {
        known.type.name = type.name;
        known.named_by = &end;
      }
      if (known.type.size == 0 && type.size != 0) {
        known.type.size = type.size;
        known.sized_by = &end;
      }
      if (known.type.cpp == nullptr) known.type.cpp = type.cpp;
    }
    const auto check_alignment = [&](const MessageType& type, const auto& whose) {
      if (type.alignment != 0 && (type.alignment & (type.alignment - 1)) == 0) return;
      auto& d = add(graph_rules::bad_size,
                    fmt::format("{} has an alignment of {}", quoted(whose()), type.alignment));
      d.marks.push_back({channel.place, display_name(channel), ""});
      d.help = "an alignment is a power of two";
    };
    check_alignment(channel.type, [&] { return display_name(channel); });
    for (const auto& end : ends) {
      check_alignment(port(end).type, [&] { return port_name(actor(end), port(end)); });
    }
    std::size_t size = channel.type.size;
    for (const auto& end : ends) size = std::max(size, port(end).type.size);
    if (!plain && (device || !channel.initial_values.empty())) {
      auto& d = add(rule::not_plain,
                    device ? fmt::format("messages of '{}' cannot lie in GPU memory: their type is "
                                         "more than its bytes",
                                         display_name(channel))
                           : fmt::format("messages of '{}' cannot have initial values: their type "
                                         "is more than its bytes",
                                         display_name(channel)));
      d.marks.push_back({channel.place, display_name(channel), ""});
      d.help = device ? "use a trivially copyable type between CPU and GPU"
                      : "let the initial messages be default-constructed, or use a trivially "
                        "copyable type";
    }
    if (device && size == 0 && compatible) {
      auto& d = add(rule::unknown_size, fmt::format("the size of the messages of '{}' is not known",
                                                    display_name(channel)));
      d.marks.push_back({channel.place, display_name(channel), "touches a GPU actor"});
      d.help = "give one of its ports a type";
    }
    return compatible ? size : 0;
  }

  void check_numbers(const ChannelModel& channel, const std::vector<Resolved>& ends,
                     std::size_t size) {
    const auto name = [&] { return display_name(channel); };
    const auto& capacity_place =
        channel.capacity_place.known() ? channel.capacity_place : channel.place;
    const auto& initial_place =
        channel.initial_place.known() ? channel.initial_place : channel.place;
    if (channel.initial < 0) {
      auto& d = add(graph_rules::negative_initial,
                    fmt::format("'{}' starts with {} messages", name(), channel.initial));
      d.marks.push_back({initial_place, name(), ""});
      d.help = "give it 0 initial messages or more";
    } else if (!channel.initial_values.empty() &&
               (size == 0 || channel.initial_values.size() % size != 0 ||
                channel.initial_values.size() / size !=
                    static_cast<std::size_t>(channel.initial))) {
      const auto has = counted(static_cast<std::int64_t>(channel.initial_values.size()), "byte");
      auto& d =
          add(graph_rules::bad_values,
              fmt::format("the initial values of '{}' do not fit its initial messages", name()));
      d.marks.push_back({initial_place, name(), "has " + has});
      d.notes.push_back(size == 0
                            ? fmt::format("has {}, and the size of a message is not known", has)
                            : fmt::format("has {}, needs {} of {}", has,
                                          counted(channel.initial, "message"),
                                          counted(static_cast<std::int64_t>(size), "byte")));
      d.help = "give one value for each initial message, of the type of the ports";
    }
    if (!channel.capacity) return;
    const auto capacity = *channel.capacity;
    if (capacity <= 0) {
      auto& d = add(capacity < 0 ? graph_rules::negative_capacity : rule::zero_capacity,
                    fmt::format("the capacity of '{}' is {}", name(), capacity));
      d.marks.push_back({capacity_place, name(), ""});
      d.help = "give it 1 message or more, or leave it to the check";
      return;
    }
    if (channel.initial > capacity) {
      auto& d = add(rule::capacity_below_initial,
                    fmt::format("'{}' starts with {} and has room for {}", name(),
                                counted(channel.initial, "message"), capacity));
      d.marks.push_back(
          {capacity_place, name(), fmt::format("has {}, needs {}", capacity, channel.initial)});
      d.help = fmt::format("raise the capacity to {} or more, or leave it to the check",
                           channel.initial);
    }
    for (const auto& end : ends) {
      const auto& p = port(end);
      if (p.rate.max() <= capacity) continue;
      const bool writes = p.direction == Direction::out;
      auto& d = add(rule::capacity_below_rate,
                    fmt::format("'{}' cannot hold the messages of one firing of '{}'", name(),
                                actor(end).name));
      d.marks.push_back(
          {capacity_place, name(), fmt::format("has {}, needs {}", capacity, p.rate.max())});
      d.notes.push_back(fmt::format("'{}' {} {} in one firing", port_name(actor(end), p),
                                    writes ? "writes" : "takes", counted(p.rate.max(), "message")));
      d.help = "raise the capacity, or leave it to the check";
    }
  }

  void check_unconnected() {
    for (std::uint32_t a = 0; a < model_.actors.size(); ++a) {
      const auto& actor = model_.actors[a];
      if (found_.first_of_name(a) != a) continue;  // a duplicate: channels mean the first
      for (std::uint32_t p = 0; p < actor.ports.size(); ++p) {
        const auto& port = actor.ports[p];
        const auto& end = ends_[first_end_[a] + p];
        if (end.channel != nullptr || end.named_wrongly) continue;
        if (names().port(a, port.name) != p) continue;
        const auto name = port_name(actor, port);
        const bool is_input = port.direction == Direction::in;
        auto& d = add(rule::unconnected_port,
                      fmt::format("{} '{}' has no channel", is_input ? "input" : "output", name));
        d.marks.push_back({port.place.known() ? port.place : actor.place, "port " + name, ""});
        d.help = is_input ? "connect an output to it, or take the port away"
                          : "connect it to an input, or take the port away";
      }
    }
  }

  const GraphModel& model_;
  Ends found_;
  std::optional<Names> names_;
  std::unordered_map<std::string_view, std::uint32_t> port_names_;  // of an actor with many
  std::vector<Diagnostic>& out_;
  std::size_t count_ = 0;
  Diagnostic not_kept_;
  std::vector<std::size_t> first_end_;  // per actor, into ends_
  std::vector<End> ends_;               // per port
  std::vector<Resolved> resolved_;      // of the channel that is looked at
};

}  // namespace

Ends check_structure(const GraphModel& model, std::vector<Diagnostic>& diagnostics) {
  return Structure(model, diagnostics).check();
}

}  // namespace antiphon::analysis
