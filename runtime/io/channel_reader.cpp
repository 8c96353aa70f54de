// The channels of a graph file.
#include "io/graph_reader.hpp"

#include "graph/format_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr std::array<std::string_view, 8> channel_keys{"from",    "to",     "name",  "capacity",
                                                       "initial", "values", "bytes", "type"};
constexpr std::array<std::string_view, 2> endpoint_keys{"actor", "port"};

}  // namespace

void GraphReader::read_channels(Node& node) {
  model_.channels.reserve(node.children.size());
  for (auto& child : node.children) {
    ChannelModel channel;
    channel.place = child.place(text_);
    bool whole = false;
    if (child.is_scalar()) {
      whole = read_arrow(child.snippet(text_).trimmed(), channel);
    } else if (child.is_map()) {
      whole = read_channel(child, channel);
    } else {
      faults_.add(
          rule::wrong_kind,
          fmt::format("a channel is 'a.x -> b.y' or a map, and this is {}", describe(child.kind)),
          child.place(text_));
    }
    if (whole) model_.channels.push_back(std::move(channel));
    std::vector<Node>().swap(child.children);
  }
}

// `a.x -> b.y`, `a.x -> b.y, c.z`, `a.x -> [b.y, c.z]`.
bool GraphReader::read_arrow(const Snippet& text, ChannelModel& channel) {
  const auto arrow = text.value().find("->");
  if (arrow == std::string_view::npos) {
    faults_.add(rule::bad_endpoint, fmt::format("the channel {} has no arrow", quote(text.value())),
                text.place(), "a channel is written a.x -> b.y");
    return false;
  }
  auto from = read_endpoint(text.sub(0, arrow).trimmed());
  const bool readers = read_endpoints(text.sub(arrow + 2).trimmed(), channel.to);
  if (!from || !readers) return false;
  channel.from = std::move(*from);
  return true;
}

bool GraphReader::read_endpoints(const Snippet& list, std::vector<Endpoint>& to) {
  auto inside = list;
  if (list[0] == '[' && list[list.size() - 1] == ']') inside = list.sub(1, list.size() - 2);
  bool whole = true;
  std::size_t begin = 0;
  for (;;) {
    const auto comma = inside.value().find(',', begin);
    const auto length = comma == std::string_view::npos ? comma : comma - begin;
    if (auto end = read_endpoint(inside.sub(begin, length).trimmed())) {
      to.push_back(std::move(*end));
    } else {
      whole = false;
    }
    if (comma == std::string_view::npos) return whole;
    begin = comma + 1;
  }
}

std::optional<Endpoint> GraphReader::read_endpoint(const Snippet& text) {
  const auto value = text.value();
  const auto dot = value.find('.');
  const bool one_dot =
      dot != std::string_view::npos && value.find('.', dot + 1) == std::string_view::npos;
  const auto actor = text.sub(0, dot).trimmed();
  const auto port = text.sub(one_dot ? dot + 1 : value.size()).trimmed();
  if (one_dot && actor.size() != 0 && port.size() != 0 &&
      value.find_first_of("[]{},") == std::string_view::npos &&
      value.find("->") == std::string_view::npos) {
    const bool printable = check_name(actor, "an actor", faults_);
    if (!check_name(port, "a port", faults_) || !printable) return std::nullopt;
    return Endpoint{std::string(actor.value()), std::string(port.value()), text.place()};
  }
  if (value.empty()) {
    faults_.add(rule::bad_endpoint, "an end of the channel is missing", text.place(),
                "each end is written actor.port");
  } else {
    faults_.add(rule::bad_endpoint, fmt::format("{} is not actor.port", quote(value)), text.place(),
                dot == std::string_view::npos
                    ? "an end of a channel is an actor, a dot, and one of its ports"
                    : "names with dots, commas or arrows are written {actor: …, port: …}");
  }
  return std::nullopt;
}

std::optional<Endpoint> GraphReader::read_endpoint(const Node& node) {
  if (node.is_scalar()) return read_endpoint(node.snippet(text_).trimmed());
  if (!node.is_map()) {
    faults_.add(
        rule::bad_endpoint,
        fmt::format("an end of a channel is actor.port, and this is {}", describe(node.kind)),
        node.place(text_));
    return std::nullopt;
  }
  const Fields fields(node, endpoint_keys, "an end of a channel", text_, faults_);
  const auto* actor = fields.scalar("actor");
  const auto* port = fields.scalar("port");
  if (actor == nullptr || port == nullptr) {
    faults_.add(rule::missing_key, "an end of a channel needs the keys 'actor' and 'port'",
                node.place(text_));
    return std::nullopt;
  }
  const bool printable = check_name(actor->snippet(text_), "an actor", faults_);
  if (!check_name(port->snippet(text_), "a port", faults_) || !printable) return std::nullopt;
  return Endpoint{std::string(actor->text), std::string(port->text), node.place(text_)};
}

bool GraphReader::read_readers(const Node& node, std::vector<Endpoint>& to) {
  if (node.is_scalar()) return read_endpoints(node.snippet(text_).trimmed(), to);
  bool whole = true;
  const std::span<const Node> ends =
      node.is_list() ? std::span<const Node>(node.children) : std::span<const Node>(&node, 1);
  for (const auto& child : ends) {
    if (auto end = read_endpoint(child)) {
      to.push_back(std::move(*end));
    } else {
      whole = false;
    }
  }
  return whole;
}

bool GraphReader::read_channel(const Node& node, ChannelModel& channel) {
  const Fields fields(node, channel_keys, "a channel", text_, faults_);
  bool whole = true;
  for (const std::string_view key : {"from", "to"}) {
    if (fields.find(key) != nullptr) continue;
    faults_.add(
        rule::missing_key, fmt::format("a channel needs the key '{}'", key), node.place(text_),
        key == "from" ? "from: actor.port says who writes" : "to: actor.port says who reads");
    whole = false;
  }
  if (const auto* from = fields.find("from")) {
    if (auto end = read_endpoint(*from)) {
      channel.from = std::move(*end);
    } else {
      whole = false;
    }
  }
  if (const auto* to = fields.find("to")) whole = read_readers(*to, channel.to) && whole;
  if (const auto* name = fields.scalar("name")) {
    if (check_name(name->snippet(text_), "a channel", faults_)) channel.name = name->text;
  }
  if (const auto* type = fields.find("type")) {
    if (auto read = types_.read(*type)) channel.type = std::move(*read);
  }
  if (const auto* capacity = fields.scalar("capacity")) {
    channel.capacity_place = capacity->place(text_);
    if (capacity->text != "auto") {
      channel.capacity = numbers_.integer(capacity->snippet(text_));
      if (channel.capacity && *channel.capacity < 0) {
        faults_.add(rule::negative_capacity,
                    fmt::format("the capacity is negative: {}", *channel.capacity),
                    capacity->place(text_), "it is a number of messages, or auto");
      }
    }
  }
  read_initial(fields, channel);
  return whole;
}

void GraphReader::read_initial(const Fields& fields, ChannelModel& channel) {
  std::optional<std::int64_t> initial;
  if (const auto* node = fields.scalar("initial")) {
    channel.initial_place = node->place(text_);
    initial = numbers_.integer(node->snippet(text_));
    if (!initial) return;
    if (*initial < 0) {
      faults_.add(rule::negative_initial,
                  fmt::format("the number of initial messages is negative: {}", *initial),
                  node->place(text_));
      return;
    }
    channel.initial = *initial;
  }
  const auto* values = fields.find("values");
  const auto* bytes = fields.scalar("bytes");
  if (values != nullptr && bytes != nullptr) {
    faults_.add(rule::bad_values, "'values' and 'bytes' say the same thing twice",
                fields.key("bytes")->place(text_), "keep one of the two");
    return;
  }
  if (bytes != nullptr) {
    if (!initial) {
      faults_.add(rule::missing_key, "'bytes' needs the number of messages, as 'initial'",
                  fields.key("bytes")->place(text_));
    }
    if (auto read = read_bytes(*bytes, text_, faults_)) channel.initial_values = std::move(*read);
  }
  if (values != nullptr && expect(Node::Kind::list, *values, "'values'", text_, faults_)) {
    read_list(*values, initial, channel);
  }
}

void GraphReader::read_list(const Node& values, const std::optional<std::int64_t>& initial,
                            ChannelModel& channel) {
  const auto count = static_cast<std::int64_t>(values.children.size());
  if (initial && *initial != count) {
    faults_.add(rule::bad_values,
                fmt::format("'values' has {} messages, and 'initial' says {}", count, *initial),
                values.place(text_), "leave 'initial' out: the list says it");
    return;
  }
  channel.initial = count;
  if (!initial) channel.initial_place = values.place(text_);
  const auto carried = carried_type(channel, ports_);
  if (carried.type != nullptr) {
    if (auto read =
            read_values(values, *carried.type, value_bytes_left_, text_, numbers_, faults_)) {
      channel.initial_values = std::move(*read);
    }
  } else if (carried.ends_exist) {  // that an end names no port is for the check to say
    faults_.add(rule::bad_values, "the type of these values is not said", values.place(text_),
                "give one of the channel's ports, or the channel, a type");
  }
}

}  // namespace antiphon::io
