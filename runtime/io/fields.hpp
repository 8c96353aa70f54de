// The keys of a map that has a fixed set of them.
#pragma once

#include "io/document.hpp"
#include "io/text.hpp"

#include <span>
#include <string>
#include <string_view>

namespace antiphon::io {

class Fields {
 public:
  // Reports every key that is not in `known`, except those that begin with `x-`. `owner` stands in
  // messages: "an actor", "the graph", or "the actor" with its name. All must outlive this.
  Fields(const Node& map, std::span<const std::string_view> known, std::string_view owner,
         const Text& text, Faults& faults, std::string_view name = {});

  // Null when the key is not there.
  const Node* find(std::string_view key) const;
  const Node* key(std::string_view key) const;
  // The value, if it is a scalar; reports it if it is something else.
  const Node* scalar(std::string_view key) const;

 private:
  const Node& map_;
  const Text& text_;
  Faults& faults_;
};

// Reports and returns false unless `node` is of this kind. `what` begins the message: "'actors'".
bool expect(Node::Kind kind, const Node& node, std::string_view what, const Text& text,
            Faults& faults);

// Reports and returns false when a name is empty or holds control characters.
bool check_name(const Snippet& name, std::string_view what, Faults& faults);

}  // namespace antiphon::io
