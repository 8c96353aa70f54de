// What YAML and JSON have in common: scalars, lists and maps, each with its place.
#pragma once

#include "io/text.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace antiphon::io {

struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  // Large graphs have millions of these. A text has less than 4 GiB.
  using Offset = std::uint32_t;

  std::string_view text;       // a scalar's value; the text that was read keeps it
  std::vector<Node> children;  // a map's: key, value, key, value, …
  Offset offset = 0;           // of the whole node, in bytes
  Offset length = 0;
  Offset text_offset = 0;
  Kind kind = Kind::null;
  bool exact = true;  // a scalar's text stands in the source as it is, from `text_offset` on

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
