// The YAML that graph files are nearly always written in, read at memory speed.
#pragma once

#include "io/document.hpp"

#include <optional>

namespace antiphon::io {

// The document of a text that keeps to block maps and lists, braces and brackets, and scalars on
// one line without escapes. Nothing when it uses more than that or is at fault in any way: the YAML
// parser, which takes some 15 ms for a graph of a thousand actors, then reads it, and says what is
// wrong.
//
// Where there is an answer it is the same, place for place, as the parser's.
std::optional<Node> read_plain_document(const Text& text);

}  // namespace antiphon::io
