#include "io/fields.hpp"

#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace antiphon::io {

namespace rule = graph_rules;

Fields::Fields(const Node& map, std::span<const std::string_view> known, std::string_view owner,
               const Text& text, Faults& faults, std::string_view name)
    : map_(map), text_(text), faults_(faults) {
  for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
    const auto& key = map.children[i];
    if (!key.is_scalar() || key.text.substr(0, 2) == "x-" ||
        std::find(known.begin(), known.end(), key.text) != known.end()) {
      continue;
    }
    auto help = nearest_names(key.text, known);
    if (help.empty()) {
      help =
          fmt::format("its keys are {}; those that begin with x- are free", fmt::join(known, ", "));
    }
    const auto whose = name.empty() ? std::string(owner) : fmt::format("{} {}", owner, quote(name));
    faults.add(rule::unknown_key, fmt::format("{} has no key {}", whose, quote(key.text)),
               key.place(text), std::move(help));
  }
}

const Node* Fields::key(std::string_view key) const {
  for (std::size_t i = 0; i + 1 < map_.children.size(); i += 2) {
    if (map_.children[i].is_scalar() && map_.children[i].text == key) return &map_.children[i];
  }
  return nullptr;
}

const Node* Fields::find(std::string_view name) const {
  const auto* found = key(name);
  return found == nullptr ? nullptr : found + 1;
}

const Node* Fields::scalar(std::string_view name) const {
  const auto* node = find(name);
  if (node == nullptr || node->is_scalar()) return node;
  faults_.add(rule::wrong_kind,
              fmt::format("'{}' is a single value, and this is {}", name, describe(node->kind)),
              (node->is_null() ? key(name) : node)->place(text_));
  return nullptr;
}

bool expect(Node::Kind kind, const Node& node, std::string_view what, const Text& text,
            Faults& faults) {
  if (node.kind == kind) return true;
  faults.add(rule::wrong_kind,
             fmt::format("{} is {}, and this is {}", what, describe(kind), describe(node.kind)),
             node.place(text));
  return false;
}

bool check_name(const Snippet& name, std::string_view what, Faults& faults) {
  const auto value = name.value();
  if (value.empty()) {
    faults.add(rule::bad_name, fmt::format("the name of {} is empty", what), name.place());
    return false;
  }
  const bool control = std::any_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (control) {
    faults.add(rule::bad_name,
               fmt::format("the name of {} has control characters: {}", what, quote(value)),
               name.place());
  }
  return !control;
}

}  // namespace antiphon::io
