// What YAML and JSON have in common: scalars, lists and maps, each with its place.
#pragma once

#include "io/text.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace antiphon::io {

struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  bool exact = true;       // a scalar's text stands in the source as it is, from `text_offset` on
  std::size_t offset = 0;  // of the whole node, in bytes
  std::size_t length = 0;
  std::size_t text_offset = 0;
  std::string text;            // a scalar's value
  std::vector<Node> children;  // a map's: key, value, key, value, …

  bool is_scalar() const noexcept { return kind == Kind::scalar; }
  bool is_list() const noexcept { return kind == Kind::list; }
  bool is_map() const noexcept { return kind == Kind::map; }
  bool is_null() const noexcept { return kind == Kind::null; }

  Place place(const Text& source) const { return source.place(offset, length); }
  Snippet snippet(const Text& source) const {
    return exact ? Snippet(text, source, text_offset, text.size(), true)
                 : Snippet(text, source, offset, length, false);
  }
};

// "a list", for messages.
std::string_view describe(Node::Kind kind) noexcept;

// The one document of a YAML or JSON text. Reports all duplicate keys, anchors, aliases, tags and
// keys that are no scalars; nothing when the text could not be read to its end.
std::optional<Node> read_document(const Text& text, Faults& faults);
// The same by the YAML parser alone, without the faster way for plain texts (plain_document.hpp).
std::optional<Node> parse_document(const Text& text, Faults& faults);

}  // namespace antiphon::io
