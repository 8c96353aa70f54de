#include "io/graph_reader.hpp"

#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"
#include "io/requirements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr std::array<std::string_view, 9> graph_keys{"format",     "graph",   "semantics",
                                                     "parameters", "types",   "actors",
                                                     "channels",   "require", "allow"};
constexpr std::array<std::string_view, 13> actor_keys{
    "name", "side",  "kernel", "groups",      "constants", "entry",   "in",
    "out",  "ports", "cost",   "concurrency", "uses",      "blocking"};
constexpr std::array<std::string_view, 2> port_keys{"type", "rate"};
constexpr std::array<std::string_view, 4> listed_port_keys{"in", "out", "type", "rate"};

bool is_parameter_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

Node& child_of(Node& parent, const Node& child) {
  return parent.children[static_cast<std::size_t>(&child - parent.children.data())];
}

void free_children(Node& node) {
  std::vector<Node>().swap(node.children);
}

}  // namespace

GraphReader::GraphReader(const Text& text, std::filesystem::path folder, Faults& faults)
    : text_(text),
      folder_(std::move(folder)),
      faults_(faults),
      numbers_(parameters_, faults),
      types_(text, numbers_, faults) {}

GraphModel GraphReader::read(Node root, const LoadOptions& options, std::string fallback_name) {
  model_.name = std::move(fallback_name);
  model_.place = text_.place(0);
  if (!root.is_map()) {
    faults_.add(
        rule::not_a_graph, fmt::format("a graph is a map, and this is {}", describe(root.kind)),
        text_.place(root.offset), "a graph begins with `format: 1`; docs/format.md has the rest");
    return std::move(model_);
  }
  const Fields fields(root, graph_keys, "a graph", text_, faults_);
  if (const auto* format = fields.scalar("format")) {
    if (format->text != "1") {
      faults_.add(rule::unknown_format,
                  fmt::format("the format {} is not known", quote(format->text)),
                  format->place(text_), "this version reads `format: 1`");
    }
  } else if (fields.find("format") == nullptr) {
    faults_.add(rule::missing_key, "the graph does not say its format", text_.place(root.offset),
                "begin it with `format: 1`");
  }
  if (const auto* name = fields.scalar("graph")) {
    if (!name->text.empty()) check_name(name->snippet(text_), "a graph", faults_);
    model_.name = name->text;
    model_.place = name->place(text_);
  }
  if (const auto* semantics = fields.scalar("semantics")) {
    if (semantics->text == "sdf3") {
      model_.semantics = Semantics::sdf3;
    } else if (semantics->text != "antiphon") {
      faults_.add(rule::unknown_format,
                  fmt::format("{} is not a kind of semantics", quote(semantics->text)),
                  semantics->place(text_), "it is antiphon, which need not be said, or sdf3");
    }
  }
  read_parameters(fields.find("parameters"), options);
  if (const auto* types = fields.find("types")) types_.declare(*types);
  if (const auto* actors = fields.find("actors")) {
    if (!actors->is_null()) read_actors(child_of(root, *actors));
  } else {
    faults_.add(rule::missing_key, "the graph has no key 'actors'", text_.place(root.offset));
  }
  if (const auto* channels = fields.find("channels"); channels != nullptr && !channels->is_null()) {
    if (expect(Node::Kind::list, *channels, "'channels'", text_, faults_)) {
      read_channels(child_of(root, *channels));
    }
  }
  if (const auto* require = fields.find("require"); require != nullptr && !require->is_null()) {
    model_.require = read_requirements(*require, model_.semantics, text_, numbers_, faults_);
  }
  if (const auto* allow = fields.find("allow"); allow != nullptr && !allow->is_null()) {
    model_.allow = read_allowances(*allow, text_, faults_);
  }
  return std::move(model_);
}

// A value that is set from outside stands for the one in the file; those that are computed from it
// follow.
void GraphReader::read_parameters(const Node* node, const LoadOptions& options) {
  const Parameters none;
  std::vector<std::string_view> declared;
  if (node != nullptr && !node->is_null() &&
      expect(Node::Kind::map, *node, "'parameters'", text_, faults_)) {
    for (std::size_t i = 0; i + 1 < node->children.size(); i += 2) {
      if (node->children[i].is_scalar()) parameters_.add_later(node->children[i].text);
    }
    for (std::size_t i = 0; i + 1 < node->children.size(); i += 2) {
      const auto& key = node->children[i];
      const auto& value = node->children[i + 1];
      if (!key.is_scalar()) continue;
      declared.push_back(key.text);
      if (!is_parameter_name(key.text)) {
        faults_.add(rule::bad_name,
                    fmt::format("{} cannot be the name of a parameter", quote(key.text)),
                    key.place(text_), "letters, digits and underscores, no digit first");
        continue;
      }
      std::optional<std::int64_t> number;
      if (const auto set = options.parameters.find(std::string(key.text));
          set != options.parameters.end()) {
        // A text of its own, so that a fault in it has a place.
        const Text outside(set->first + "=" + set->second, "<parameters>");
        number = Numbers(none, faults_)
                     .integer(Snippet(outside.view(), outside, 0, outside.view().size(), true)
                                  .sub(set->first.size() + 1));
      } else if (value.is_scalar()) {
        number = numbers_.integer(value.snippet(text_));
      } else {
        faults_.add(rule::wrong_kind,
                    fmt::format("the parameter {} is a number, and this is {}", quote(key.text),
                                describe(value.kind)),
                    (value.is_null() ? key : value).place(text_));
      }
      if (number) {
        parameters_.add(std::string(key.text), *number);
      } else {
        parameters_.add_unreadable(std::string(key.text));
      }
    }
  }
  for (const auto& [name, value] : options.parameters) {
    if (std::find(declared.begin(), declared.end(), name) != declared.end()) continue;
    auto help = nearest_names(name, declared);
    if (help.empty() && !declared.empty()) {
      help = fmt::format("its parameters are {}", fmt::join(declared, ", "));
    }
    faults_.add_about(rule::unknown_parameter,
                      fmt::format("the graph has no parameter {} to set", quote(name)),
                      fmt::format("{}={}", name, value), std::move(help));
  }
}

void GraphReader::read_actors(Node& node) {
  if (node.is_map()) {
    model_.actors.reserve(node.children.size() / 2);
    for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
      if (!node.children[i].is_scalar()) continue;
      model_.actors.push_back(read_actor(node.children[i], node.children[i + 1]));
      free_children(node.children[i + 1]);
    }
  } else if (node.is_list()) {
    // The form for graphs in which two actors have the same name.
    model_.actors.reserve(node.children.size());
    for (auto& child : node.children) {
      if (!expect(Node::Kind::map, child, "an actor in a list", text_, faults_)) continue;
      const Node* name = nullptr;
      for (std::size_t i = 0; i + 1 < child.children.size(); i += 2) {
        if (child.children[i].text == "name") name = &child.children[i + 1];
      }
      if (name == nullptr || !name->is_scalar()) {
        faults_.add(rule::missing_key, "an actor in a list needs a key 'name'", child.place(text_));
        continue;
      }
      model_.actors.push_back(read_actor(*name, child));
      free_children(child);
    }
  } else {
    expect(Node::Kind::map, node, "'actors'", text_, faults_);
  }
  ports_ = PortIndex(model_.actors);
}

ActorModel GraphReader::read_actor(const Node& name, const Node& node) {
  ActorModel actor;
  actor.name = name.text;
  actor.place = name.place(text_);
  if (model_.semantics == Semantics::sdf3) actor.concurrency = 0;
  check_name(name.snippet(text_), "an actor", faults_);
  if (!node.is_map()) {
    if (!node.is_null()) {
      expect(Node::Kind::map, node, fmt::format("the actor {}", quote(name.text)), text_, faults_);
    }
    return actor;
  }
  // In a map of actors, the name is the key; only in a list is it a field.
  const bool listed =
      &name > node.children.data() && &name < node.children.data() + node.children.size();
  const std::span<const std::string_view> known = actor_keys;
  const Fields fields(node, listed ? known : known.subspan(1), "the actor", text_, faults_,
                      name.text);
  if (const auto* side = fields.scalar("side")) {
    if (side->text == "gpu") {
      actor.side = Side::gpu;
    } else if (side->text != "cpu") {
      faults_.add(rule::bad_side, fmt::format("{} is not a side", quote(side->text)),
                  side->place(text_), "a side is cpu or gpu");
    }
  }
  read_kernel(fields, actor);
  read_ports(fields, actor);
  if (const auto* cost = fields.find("cost")) {
    actor.cost = read_phases(*cost, text_,
                             model_.semantics == Semantics::sdf3 ? unitless_cost_kind : cost_kind,
                             numbers_, faults_);
  }
  if (const auto* concurrency = fields.scalar("concurrency")) read_concurrency(*concurrency, actor);
  if (const auto* uses = fields.find("uses"); uses != nullptr && !uses->is_null()) {
    const std::span<const Node> names =
        uses->is_list() ? std::span<const Node>(uses->children) : std::span<const Node>(uses, 1);
    for (const auto& used : names) {
      if (!expect(Node::Kind::scalar, used, "what an actor uses", text_, faults_)) continue;
      if (!check_name(used.snippet(text_), "what an actor uses", faults_)) continue;
      actor.uses.emplace_back(used.text);
    }
  }
  if (const auto* blocking = fields.scalar("blocking")) read_blocking(*blocking, actor);
  return actor;
}

void GraphReader::read_kernel(const Fields& fields, ActorModel& actor) {
  const auto* file = fields.scalar("kernel");
  if (file == nullptr) {
    for (const std::string_view name : {"groups", "constants", "entry"}) {
      if (const auto* key = fields.key(name)) {
        faults_.add(
            rule::misplaced_kernel,
            fmt::format("'{}' belongs to a kernel, and {} has none", name, quote(actor.name)),
            key->place(text_), "add kernel: with the name of its file");
      }
    }
    return;
  }
  if (actor.side == Side::cpu) {
    faults_.add(rule::misplaced_kernel,
                fmt::format("the actor {} has a kernel and runs on the CPU", quote(actor.name)),
                fields.key("kernel")->place(text_),
                fields.find("side") == nullptr ? "add side: gpu"
                                               : "say side: gpu, or leave the kernel out");
    return;
  }
  if (!check_name(file->snippet(text_), "a kernel's file", faults_)) return;
  auto kernel = Kernel::from_file((folder_ / file->text).string());
  if (const auto* groups = fields.find("groups")) read_groups(*groups, kernel);
  if (const auto* constants = fields.find("constants")) read_constants(*constants, kernel);
  if (const auto* entry = fields.scalar("entry")) {
    if (check_name(entry->snippet(text_), "an entry point", faults_))
      kernel.entry(std::string(entry->text));
  }
  actor.kernel_file = file->text;
  actor.kernel_place = file->place(text_);
  actor.kernel = std::make_shared<const Kernel>(std::move(kernel));
}

void GraphReader::read_groups(const Node& node, Kernel& kernel) {
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  // One number is the groups along x.
  const std::span<const Node> numbers =
      node.is_list() ? std::span<const Node>(node.children) : std::span<const Node>(&node, 1);
  if (numbers.empty() || numbers.size() > 3) {
    faults_.add(rule::bad_kernel,
                fmt::format("groups are up to three numbers, and these are {}", numbers.size()),
                node.place(text_), "write them as [x, y, z]");
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!numbers[i].is_scalar()) {
      faults_.add(rule::bad_kernel,
                  fmt::format("a number of groups is {}", describe(numbers[i].kind)),
                  numbers[i].place(text_), "write them as [x, y, z]");
      return;
    }
    const auto value = numbers_.integer(numbers[i].snippet(text_));
    if (!value) return;
    if (*value < 1 || *value > UINT32_MAX) {
      faults_.add(rule::bad_kernel, fmt::format("a dispatch of {} groups cannot be", *value),
                  numbers[i].place(text_), "there is at least 1, and at most 2^32-1");
      return;
    }
    groups[i] = static_cast<std::uint32_t>(*value);
  }
  kernel.groups(groups[0], groups[1], groups[2]);
}

void GraphReader::read_constants(const Node& node, Kernel& kernel) {
  if (!expect(Node::Kind::map, node, "'constants'", text_, faults_)) return;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& key = node.children[i];
    const auto& value = node.children[i + 1];
    if (!key.is_scalar()) continue;
    std::uint32_t id = 0;
    const auto* end = key.text.data() + key.text.size();
    const auto read = std::from_chars(key.text.data(), end, id);
    if (read.ec != std::errc{} || read.ptr != end) {
      faults_.add(rule::bad_kernel,
                  fmt::format("{} is not the id of a specialisation constant", quote(key.text)),
                  key.place(text_), "it is the number in layout(constant_id = …)");
      continue;
    }
    if (!value.is_scalar()) {
      faults_.add(rule::bad_kernel,
                  fmt::format("a constant is a single value, and this is {}", describe(value.kind)),
                  (value.is_null() ? key : value).place(text_));
      continue;
    }
    if (value.text == "true" || value.text == "false") {
      kernel.constant(id, value.text == "true" ? 1 : 0);
      continue;
    }
    // A number with a point or an exponent is a float; all others are integers.
    float single = 0;
    const char* const begin = value.text.data();
    const char* const value_end = begin + value.text.size();
    const bool decimal = value.text.find_first_not_of("0123456789.+-e") == std::string::npos &&
                         value.text.find_first_of(".e") != std::string::npos;
    if (decimal) {
      const auto parsed = std::from_chars(begin, value_end, single);
      if (parsed.ec == std::errc{} && parsed.ptr == value_end) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &single, sizeof single);
        kernel.constant(id, bits);
        continue;
      }
    }
    const auto number = numbers_.integer(value.snippet(text_));
    if (!number) continue;
    if (*number < INT32_MIN || *number > UINT32_MAX) {
      faults_.add(rule::bad_kernel,
                  fmt::format("the constant {} does not fit into 32 bits", *number),
                  value.place(text_));
      continue;
    }
    kernel.constant(id, static_cast<std::uint32_t>(*number));
  }
}

void GraphReader::read_blocking(const Node& node, ActorModel& actor) {
  actor.blocking = node.text == "true";
  if (node.text != "true" && node.text != "false") {
    faults_.add(rule::bad_flag, fmt::format("{} is neither true nor false", quote(node.text)),
                node.place(text_), "write blocking: true, or leave it out");
  } else if (actor.blocking && actor.side == Side::gpu) {
    faults_.add(rule::bad_flag,
                fmt::format("the actor {} runs on the GPU, where nothing blocks a thread",
                            quote(actor.name)),
                node.place(text_), "leave it out");
  }
}

void GraphReader::read_concurrency(const Node& node, ActorModel& actor) {
  if (node.text == "unlimited") {
    actor.concurrency = 0;
    return;
  }
  const auto value = numbers_.integer(node.snippet(text_));
  if (!value) return;
  if (*value < 1) {
    faults_.add(rule::bad_concurrency, fmt::format("the concurrency is less than one: {}", *value),
                node.place(text_), "it is 1 or more, or unlimited");
    return;
  }
  actor.concurrency = *value;
}

void GraphReader::read_ports(const Fields& fields, ActorModel& actor) {
  const auto* in = fields.find("in");
  const auto* out = fields.find("out");
  if (const auto* ports = fields.find("ports")) {
    if (in != nullptr || out != nullptr) {
      faults_.add(rule::unknown_key,
                  "'ports' stands for 'in' and 'out', and cannot stand beside them",
                  fields.key("ports")->place(text_), "keep one of the two forms");
      return;
    }
    read_port_list(*ports, actor);
    return;
  }
  // Ports are numbered as they are written.
  if (out != nullptr && in != nullptr && out < in) read_port_map(Direction::out, *out, actor);
  if (in != nullptr) read_port_map(Direction::in, *in, actor);
  if (out != nullptr && (in == nullptr || in < out)) read_port_map(Direction::out, *out, actor);
}

void GraphReader::read_port_map(Direction direction, const Node& node, ActorModel& actor) {
  if (node.is_null()) return;
  const std::string_view key = direction == Direction::in ? "'in'" : "'out'";
  if (!expect(Node::Kind::map, node, key, text_, faults_)) return;
  actor.ports.reserve(actor.ports.size() + node.children.size() / 2);
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& name = node.children[i];
    const auto& value = node.children[i + 1];
    if (!name.is_scalar()) continue;
    check_name(name.snippet(text_), "a port", faults_);
    Port port;
    port.direction = direction;
    port.name = name.text;
    port.place = name.place(text_);
    if (value.is_map()) {
      const Fields fields(value, port_keys, "a port", text_, faults_);
      read_port_fields(fields, port);
    } else if (auto type = types_.read(value)) {
      port.type = std::move(*type);
    }
    actor.ports.push_back(std::move(port));
  }
}

// The form for ports whose order, or whose names, two maps cannot express.
void GraphReader::read_port_list(const Node& node, ActorModel& actor) {
  if (!expect(Node::Kind::list, node, "'ports'", text_, faults_)) return;
  for (const auto& child : node.children) {
    if (!expect(Node::Kind::map, child, "a port in a list", text_, faults_)) continue;
    const Fields fields(child, listed_port_keys, "a port", text_, faults_);
    const auto* in = fields.scalar("in");
    const auto* out = fields.scalar("out");
    if ((in == nullptr) == (out == nullptr)) {
      faults_.add(rule::missing_key, "a port in a list has either 'in' or 'out' with its name",
                  child.place(text_));
      continue;
    }
    const auto& name = in != nullptr ? *in : *out;
    check_name(name.snippet(text_), "a port", faults_);
    Port port;
    port.direction = in != nullptr ? Direction::in : Direction::out;
    port.name = name.text;
    port.place = name.place(text_);
    read_port_fields(fields, port);
    actor.ports.push_back(std::move(port));
  }
}

void GraphReader::read_port_fields(const Fields& fields, Port& port) {
  if (const auto* type = fields.find("type")) {
    if (auto read = types_.read(*type)) port.type = std::move(*read);
  }
  if (const auto* rate = fields.find("rate")) {
    if (auto read = read_phases(*rate, text_, rate_kind, numbers_, faults_))
      port.rate = std::move(*read);
  }
}

}  // namespace antiphon::io
