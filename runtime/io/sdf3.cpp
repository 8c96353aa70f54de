#include "io/sdf3.hpp"

#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"
#include "io/expression.hpp"
#include "io/fields.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr int deepest = 64;

// The start tag of an element in the text: pugixml knows where elements are, but not their
// attributes.
class Tag {
 public:
  Tag(const pugi::xml_node& node, const Text& text)
      : text_(text),
        offset_(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()))) {}

  // From `<` to the end of the name.
  Place place() const {
    const auto end = text_.view().find_first_of(" \t\r\n/>", offset_);
    return text_.place(offset_ - (offset_ > 0 ? 1 : 0), end - offset_ + 1);
  }
  // The value of an attribute, without its quotes.
  Snippet value(const pugi::xml_attribute& attribute) const {
    const auto found = find(attribute.name());
    const std::string_view value = attribute.value();
    const bool exact = text_.view().substr(found.first, found.second) == value;
    return {value, text_, found.first, found.second, exact};
  }
  // The name of the first attribute that is there twice; none: empty.
  Snippet duplicate() const {
    std::vector<std::string_view> names;
    std::string_view twice;
    each([&](std::string_view name, std::size_t, std::size_t) {
      if (twice.empty() && std::find(names.begin(), names.end(), name) != names.end()) twice = name;
      names.push_back(name);
    });
    const auto at =
        twice.empty() ? offset_ : static_cast<std::size_t>(twice.data() - text_.view().data());
    return {twice, text_, at, twice.size(), true};
  }

 private:
  // Calls visit(name, offset of the value, its length) for each attribute.
  template <typename Visit>
  void each(Visit visit) const {
    const auto whole = text_.view();
    auto at = whole.find_first_of(" \t\r\n/>", offset_);
    while (at < whole.size()) {
      const auto begin = whole.find_first_not_of(" \t\r\n", at);
      if (begin == std::string_view::npos || whole[begin] == '>' || whole[begin] == '/') return;
      const auto equals = whole.find('=', begin);
      const auto quote_at = whole.find_first_of("\"'", begin);
      if (equals == std::string_view::npos || quote_at == std::string_view::npos) return;
      const auto name_end = std::min(equals, whole.find_first_of(" \t\r\n=", begin));
      const auto close = whole.find(whole[quote_at], quote_at + 1);
      if (close == std::string_view::npos) return;
      visit(whole.substr(begin, name_end - begin), quote_at + 1, close - quote_at - 1);
      at = close + 1;
    }
  }
  std::pair<std::size_t, std::size_t> find(std::string_view wanted) const {
    std::pair<std::size_t, std::size_t> found{offset_, 0};
    each([&](std::string_view name, std::size_t offset, std::size_t length) {
      if (name == wanted && found.second == 0) found = {offset, length};
    });
    return found;
  }

  const Text& text_;
  std::size_t offset_;
};

class Sdf3Reader {
 public:
  Sdf3Reader(const Text& text, Faults& faults)
      : text_(text), faults_(faults), numbers_(none_, faults) {}

  GraphModel read(std::string fallback_name) {
    model_.semantics = Semantics::sdf3;
    model_.name = std::move(fallback_name);
    model_.place = text_.place(0);
    pugi::xml_document document;
    const auto view = text_.view();
    // Attribute values are taken as they stand: normalised ones would have lost their places.
    const auto parsed = document.load_buffer(
        view.data(), view.size(), pugi::parse_default | pugi::parse_fragment, pugi::encoding_utf8);
    if (!parsed) {
      report_syntax(parsed);
    } else if (is_shallow(document) && is_one_element(document)) {
      read_root(document.document_element());
    }
    return std::move(model_);
  }

 private:
  void report_syntax(const pugi::xml_parse_result& parsed) {
    const auto last = text_.view().find_last_not_of(" \t\r\n");
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, parsed.offset));
    if (last == std::string_view::npos || at >= last) {
      faults_.add(rule::cut_off, "the text ends in the middle of an element", text_.place(last + 1),
                  "restore the part that is missing");
      faults_.note(fmt::format("the XML parser says: {}", parsed.description()));
      return;
    }
    faults_.add(rule::not_xml, fmt::format("the text is not XML: {}", parsed.description()),
                text_.place(at));
  }

  // Without recursion, so that no depth can overflow the stack.
  bool is_shallow(const pugi::xml_document& document) {
    int depth = 1;
    pugi::xml_node node = document.document_element();
    const auto root = node;
    while (node) {
      if (depth > deepest) {
        faults_.add(rule::too_deep, fmt::format("the text is nested more than {} deep", deepest),
                    Tag(node, text_).place(), "an SDF3 file has 6 levels");
        return false;
      }
      if (node.first_child()) {
        node = node.first_child();
        ++depth;
        continue;
      }
      while (node != root && !node.next_sibling()) {
        node = node.parent();
        --depth;
      }
      if (node == root) return true;
      node = node.next_sibling();
    }
    return true;
  }

  // What follows the graph would be lost without a word.
  bool is_one_element(const pugi::xml_document& document) {
    bool seen = false;
    for (const auto& node : document.children()) {
      if (node.type() == pugi::node_element && !std::exchange(seen, true)) continue;
      const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, node.offset_debug()));
      if (node.type() == pugi::node_element) {
        faults_.add(rule::not_xml,
                    fmt::format("a second element, <{}>, follows the graph", node.name()),
                    Tag(node, text_).place(), "one file is one graph");
        return false;
      }
      if (node.type() != pugi::node_pcdata && node.type() != pugi::node_cdata) continue;
      faults_.add(rule::not_xml, "there is text outside of the element <sdf3>", text_.place(at),
                  "one file is one graph: remove the rest");
      return false;
    }
    return true;
  }

  void read_root(const pugi::xml_node& root) {
    if (std::string_view(root.name()) != "sdf3") {
      faults_.add(rule::not_a_graph,
                  root ? fmt::format("the root element is <{}>, not <sdf3>", root.name())
                       : "there is no element in the text",
                  root ? Tag(root, text_).place() : text_.place(0),
                  "of XML, SDF3 files are read: <sdf3 type=\"sdf\"> or <sdf3 type=\"csdf\">");
      return;
    }
    if (const auto type = root.attribute("type")) {
      const std::string_view value = type.value();
      if (value != "sdf" && value != "csdf") {
        faults_.add(
            rule::unknown_format, fmt::format("SDF3 files of type {} are not read", quote(value)),
            Tag(root, text_).value(type).place(), "the types that are read are sdf and csdf");
        return;
      }
    }
    const auto application = root.child("applicationGraph");
    if (!application) {
      faults_.add(rule::not_a_graph, "the file has no <applicationGraph>",
                  Tag(root, text_).place());
      return;
    }
    if (const auto another = application.next_sibling("applicationGraph")) {
      faults_.add(rule::not_a_graph, "the file has more than one <applicationGraph>",
                  Tag(another, text_).place(), "one file is one graph");
      return;
    }
    // Files of type csdf with an <sdf> element exist, and mean the same.
    const auto graph =
        application.child("csdf") ? application.child("csdf") : application.child("sdf");
    if (!graph) {
      faults_.add(rule::not_a_graph, "the application graph has neither <sdf> nor <csdf>",
                  Tag(application, text_).place());
      return;
    }
    for (const auto& named : {graph, application}) {
      if (const auto name = named.attribute("name"); name && *name.value() != '\0') {
        const auto written = Tag(named, text_).value(name);
        check_name(written, "a graph", faults_);
        model_.name = name.value();
        model_.place = written.place();
      }
    }
    for (const auto& actor : graph.children("actor")) read_actor(actor);
    for (const auto& channel : graph.children("channel")) read_channel(channel);
    for (const char* properties : {"sdfProperties", "csdfProperties"}) {
      for (const auto& of_graph : application.children(properties)) {
        for (const auto& of_actor : of_graph.children("actorProperties")) read_cost(of_actor);
      }
    }
  }

  // Others may stand there, for other tools; one that looks like a known one is a slip.
  void check_attributes(const pugi::xml_node& node, std::initializer_list<std::string_view> known) {
    if (!node) return;
    for (const auto& attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto near = nearest_names(name, std::span(known.begin(), known.size()));
      if (near.empty()) continue;
      faults_.add(rule::unknown_key,
                  fmt::format("<{}> has no attribute {}", node.name(), quote(name)),
                  Tag(node, text_).value(attribute).place(), near);
    }
    const auto twice = Tag(node, text_).duplicate();
    if (twice.size() == 0) return;
    faults_.add(rule::duplicate_key,
                fmt::format("the attribute {} is given twice", quote(twice.value())), twice.place(),
                "keep one of the two");
  }

  // The value of an attribute that must be there; reports its absence.
  std::optional<std::string> needed(const pugi::xml_node& node, const char* name) {
    const auto attribute = node.attribute(name);
    if (attribute) return attribute.value();
    faults_.add(rule::missing_key, fmt::format("<{}> has no attribute '{}'", node.name(), name),
                Tag(node, text_).place());
    return std::nullopt;
  }

  void read_actor(const pugi::xml_node& node) {
    check_attributes(node, {"name", "type"});
    ActorModel actor;
    actor.concurrency = 0;
    actor.place = Tag(node, text_).place();
    if (auto name = needed(node, "name")) {
      const auto written = Tag(node, text_).value(node.attribute("name"));
      check_name(written, "an actor", faults_);
      actor.name = std::move(*name);
      actor.place = written.place();
    }
    for (const auto& child : node.children("port")) {
      check_attributes(child, {"name", "type", "rate"});
      const Tag tag(child, text_);
      Port port;
      port.place = tag.place();
      if (auto name = needed(child, "name")) {
        check_name(tag.value(child.attribute("name")), "a port", faults_);
        port.name = std::move(*name);
      }
      if (const auto type = needed(child, "type")) {
        if (*type == "out") {
          port.direction = Direction::out;
        } else if (*type != "in") {
          faults_.add(rule::bad_side, fmt::format("{} is not a direction of a port", quote(*type)),
                      tag.value(child.attribute("type")).place(), "it is in or out");
        }
      }
      if (needed(child, "rate")) {
        auto rate = read_phases(tag.value(child.attribute("rate")), rate_kind, numbers_, faults_);
        if (rate) port.rate = std::move(*rate);
      }
      actor.ports.push_back(std::move(port));
    }
    actors_.emplace(actor.name, model_.actors.size());
    model_.actors.push_back(std::move(actor));
  }

  // `size` is that of a message in bytes, and no capacity: SDF3's channels are unbounded.
  void read_channel(const pugi::xml_node& node) {
    check_attributes(
        node, {"name", "srcActor", "srcPort", "dstActor", "dstPort", "initialTokens", "size"});
    const Tag tag(node, text_);
    ChannelModel channel;
    channel.place = tag.place();
    channel.name = node.attribute("name").value();
    if (!channel.name.empty()) check_name(tag.value(node.attribute("name")), "a channel", faults_);
    const auto source_actor = needed(node, "srcActor");
    const auto source_port = needed(node, "srcPort");
    const auto target_actor = needed(node, "dstActor");
    const auto target_port = needed(node, "dstPort");
    if (!source_actor || !source_port || !target_actor || !target_port) return;
    for (const char* end : {"srcActor", "dstActor"}) {
      check_name(tag.value(node.attribute(end)), "an actor", faults_);
    }
    for (const char* end : {"srcPort", "dstPort"}) {
      check_name(tag.value(node.attribute(end)), "a port", faults_);
    }
    channel.from = {*source_actor, *source_port, tag.value(node.attribute("srcPort")).place()};
    channel.to.push_back(
        {*target_actor, *target_port, tag.value(node.attribute("dstPort")).place()});
    if (const auto tokens = node.attribute("initialTokens")) {
      const auto text = tag.value(tokens);
      channel.initial_place = text.place();
      if (const auto count = numbers_.integer(text)) {
        channel.initial = *count;
        if (*count < 0) {
          faults_.add(rule::negative_initial,
                      fmt::format("the number of initial messages is negative: {}", *count),
                      text.place());
        }
      }
    }
    if (const auto size = node.attribute("size")) {
      const auto text = tag.value(size);
      const auto bytes = numbers_.integer(text);
      if (bytes && *bytes < 0) {
        faults_.add(rule::bad_size, fmt::format("the size of a message is negative: {}", *bytes),
                    text.place());
      } else if (bytes) {
        channel.type.size = static_cast<std::size_t>(*bytes);
      }
    }
    model_.channels.push_back(std::move(channel));
  }

  // Of several processors the one that is marked as the default counts, and the last where several
  // are or none is.
  void read_cost(const pugi::xml_node& node) {
    check_attributes(node, {"actor"});
    const auto name = needed(node, "actor");
    if (!name) return;
    const auto found = actors_.find(*name);
    if (found == actors_.end()) {
      faults_.add(rule::stray_properties,
                  fmt::format("there is no actor {} to have these properties", quote(*name)),
                  Tag(node, text_).value(node.attribute("actor")).place());
      return;
    }
    pugi::xml_node chosen;
    bool by_default = false;
    for (const auto& processor : node.children("processor")) {
      check_attributes(processor, {"type", "default"});
      check_attributes(processor.child("executionTime"), {"time"});
      const bool marked = std::string_view(processor.attribute("default").value()) == "true";
      if (marked || !by_default) chosen = processor;
      by_default = by_default || marked;
    }
    const auto execution = chosen.child("executionTime");
    const auto time = execution.attribute("time");
    if (!time) return;
    auto cost =
        read_phases(Tag(execution, text_).value(time), unitless_cost_kind, numbers_, faults_);
    if (cost) model_.actors[found->second].cost = std::move(*cost);
  }

  const Text& text_;
  Faults& faults_;
  const Parameters none_;
  Numbers numbers_;
  GraphModel model_;
  std::unordered_map<std::string, std::size_t> actors_;
};

}  // namespace

GraphModel read_sdf3(const Text& text, Faults& faults, std::string fallback_name) {
  return Sdf3Reader(text, faults).read(std::move(fallback_name));
}

}  // namespace antiphon::io
