// Message types as graph files write them, and values of them.
#pragma once

#include "io/document.hpp"
#include "io/expression.hpp"
#include "io/text.hpp"

#include <antiphon/message_type.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace antiphon::io {

struct Scalar {
  enum class Kind { signed_integer, unsigned_integer, floating };
  std::string_view name;
  Kind kind;
  std::size_t size;
};
// Null when it is none.
const Scalar* find_scalar(std::string_view name);
// The scalar that messages of this type consist of; null when it is a struct or a size alone.
const Scalar* scalar_of(const MessageType& type);

// The graph's named types, and types in general. Arrays of arrays count as one array: what both
// ends of a channel agree on is the name of the scalar and how many there are.
class Types {
 public:
  Types(const Text& text, const Numbers& numbers, Faults& faults)
      : text_(text), numbers_(numbers), faults_(faults) {}
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  // The value of the file's key `types`. Reports all that is wrong in it.
  void declare(const Node& node);
  // `null` is a type that is not said.
  std::optional<MessageType> read(const Node& node);

 private:
  // `count` things of one kind in a row.
  struct Layout {
    std::string name;  // of one; empty: no more than bytes
    std::int64_t size = 0;
    std::int64_t alignment = 1;
    std::int64_t count = 1;
    bool array = false;
  };
  struct Named {
    enum class State { unread, reading, read, unreadable };
    const Node* key = nullptr;
    const Node* value = nullptr;
    State state = State::unread;
    Layout layout;
  };

  std::optional<Layout> read_text(const Snippet& text);
  std::optional<Layout> read_base(Snippet& text);
  std::optional<Layout> read_full(const Node& node);
  std::optional<Layout> read_struct(const Node& node, const std::string& name);
  std::optional<Layout> named(Named& type, const Place& use);
  bool check_alignment(const Layout& layout, const Place& place);
  bool read_dimensions(Snippet text, Layout& layout);
  std::nullopt_t fail(const Rule& which, std::string message, Place place, std::string help = {});

  const Text& text_;
  const Numbers& numbers_;
  Faults& faults_;
  std::unordered_map<std::string_view, Named> named_;
  std::size_t depth_ = 0;
};

// The bytes of `values`, a list with one entry for each message: a scalar, which fills the message,
// or a list of all its scalars. `most` bytes are left for the graph's values, and become fewer.
// Reports what does not fit.
std::optional<std::vector<std::byte>> read_values(const Node& node, const MessageType& type,
                                                  std::size_t& most, const Text& text,
                                                  const Numbers& numbers, Faults& faults);
// Bytes as pairs of hexadecimal digits; white space between them is free.
std::optional<std::vector<std::byte>> read_bytes(const Node& node, const Text& text,
                                                 Faults& faults);

}  // namespace antiphon::io
