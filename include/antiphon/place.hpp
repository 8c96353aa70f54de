// A place in a text: where an actor, a port or a channel was written.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace antiphon {

// A text that was read, kept as long as a place in it may still be shown.
struct SourceText {
  std::string name;  // as the user named it: a path, or "<stdin>"
  std::string text;
};

// Lines and columns count from 1, columns in bytes; line 0 means "no place known".
struct Place {
  std::shared_ptr<const SourceText> source;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;  // bytes to underline, 0 when only the start is known

  bool known() const noexcept { return source != nullptr && line != 0; }
};

}  // namespace antiphon
