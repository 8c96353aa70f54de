#include "io/types.hpp"

#include "graph/format_rules.hpp"
#include "graph/similar_names.hpp"
#include "io/fields.hpp"

#include <antiphon/phase_sequence.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr std::int64_t largest = PhaseSequence::limit;

using Kind = Scalar::Kind;
constexpr Scalar scalars[] = {
    {"int8", Kind::signed_integer, 1},     {"int16", Kind::signed_integer, 2},
    {"int32", Kind::signed_integer, 4},    {"int64", Kind::signed_integer, 8},
    {"uint8", Kind::unsigned_integer, 1},  {"uint16", Kind::unsigned_integer, 2},
    {"uint32", Kind::unsigned_integer, 4}, {"uint64", Kind::unsigned_integer, 8},
    {"float16", Kind::floating, 2},        {"float32", Kind::floating, 4},
    {"float64", Kind::floating, 8}};

constexpr bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_name_part(char c) {
  return begins_name(c) || (c >= '0' && c <= '9');
}

std::int64_t aligned(std::int64_t size, std::int64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

const Scalar* find_scalar(std::string_view name) {
  const auto* found = std::find_if(std::begin(scalars), std::end(scalars),
                                   [&](const Scalar& s) { return s.name == name; });
  return found == std::end(scalars) ? nullptr : found;
}

const Scalar* scalar_of(const MessageType& type) {
  const auto* scalar = find_scalar(std::string_view(type.name).substr(0, type.name.find('[')));
  if (scalar == nullptr || type.elements < 1) return nullptr;
  return type.size == scalar->size * static_cast<std::size_t>(type.elements) ? scalar : nullptr;
}

std::nullopt_t Types::fail(const Rule& which, std::string message, Place place, std::string help) {
  faults_.add(which, std::move(message), std::move(place), std::move(help));
  return std::nullopt;
}

void Types::declare(const Node& node) {
  if (!node.is_map()) {
    fail(rule::wrong_kind,
         fmt::format("'types' is a map from name to type, and this is {}", describe(node.kind)),
         node.place(text_));
    return;
  }
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& key = node.children[i];
    if (!key.is_scalar()) continue;
    const bool is_name = !key.text.empty() && begins_name(key.text[0]) &&
                         std::all_of(key.text.begin(), key.text.end(), is_name_part);
    if (!is_name) {
      fail(rule::bad_name, fmt::format("{} cannot be the name of a type", quote(key.text)),
           key.place(text_), "letters, digits and underscores, no digit first");
    } else if (find_scalar(key.text) != nullptr) {
      fail(rule::bad_name, fmt::format("{} is a type already", quote(key.text)), key.place(text_),
           "choose another name");
    } else {
      named_.emplace(key.text, Named{&key, &node.children[i + 1], Named::State::unread, {}});
    }
  }
  // In the file's order, so that faults are.
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto found = named_.find(node.children[i].text);
    if (found != named_.end()) named(found->second, node.children[i].place(text_));
  }
}

std::optional<Types::Layout> Types::named(Named& type, const Place& use) {
  switch (type.state) {
    case Named::State::read:
      return type.layout;
    case Named::State::unreadable:
      return std::nullopt;
    case Named::State::reading:
      fail(rule::recursive_type, fmt::format("the type {} contains itself", quote(type.key->text)),
           use, "a message has a fixed size: refer to others by an index");
      faults_.also(type.key->place(text_), "declared here");
      return std::nullopt;
    case Named::State::unread:
      break;
  }
  constexpr std::size_t deepest = 64;
  if (depth_ == deepest) {
    type.state = Named::State::unreadable;
    return fail(rule::too_deep, fmt::format("types are nested more than {} deep", deepest), use);
  }
  type.state = Named::State::reading;
  ++depth_;
  std::optional<Layout> layout;
  if (type.value->is_scalar()) {
    layout = read_text(type.value->snippet(text_).trimmed());
  } else if (type.value->is_map()) {
    layout = read_struct(*type.value, std::string(type.key->text));
  } else {
    fail(rule::wrong_kind,
         fmt::format("the type {} is a map from field to type, or another type; this is {}",
                     quote(type.key->text), describe(type.value->kind)),
         type.value->is_null() ? type.key->place(text_) : type.value->place(text_));
  }
  --depth_;
  type.state = layout ? Named::State::read : Named::State::unreadable;
  if (layout) type.layout = *layout;
  return layout;
}

// As C and std430 lay out a struct of such fields: each at a multiple of its alignment, the whole
// padded to a multiple of the largest.
std::optional<Types::Layout> Types::read_struct(const Node& node, const std::string& name) {
  Layout layout;
  layout.name = name;
  bool whole = true;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& field = node.children[i];
    const auto& value = node.children[i + 1];
    if (!value.is_scalar()) {
      fail(rule::wrong_kind,
           fmt::format("the field {} of {} needs a type, and this is {}", quote(field.text),
                       quote(name), describe(value.kind)),
           value.is_null() ? field.place(text_) : value.place(text_));
      whole = false;
      continue;
    }
    const auto type = read_text(value.snippet(text_).trimmed());
    if (!type) {
      whole = false;
      continue;
    }
    const auto size = type->size * type->count;
    const auto begin = aligned(layout.size, type->alignment);
    if (size > largest - begin) {
      return fail(rule::number_too_large, fmt::format("{} is larger than 2^62 bytes", quote(name)),
                  field.place(text_));
    }
    layout.size = begin + size;
    layout.alignment = std::max(layout.alignment, type->alignment);
  }
  if (!whole) return std::nullopt;
  if (layout.size == 0) {
    return fail(rule::bad_type, fmt::format("{} has no fields", quote(name)), node.place(text_));
  }
  layout.size = aligned(layout.size, layout.alignment);
  return layout;
}

std::optional<Types::Layout> Types::read_text(const Snippet& text) {
  auto rest = text;
  auto layout = read_base(rest);
  if (!layout || !read_dimensions(rest.trimmed(), *layout)) return std::nullopt;
  return layout;
}

std::optional<Types::Layout> Types::read_base(Snippet& text) {
  std::size_t length = 0;
  while (begins_name(text[0]) && is_name_part(text[length])) ++length;
  const auto name = text.value().substr(0, length);
  const auto rest = text.sub(length).trimmed();
  if (length != 0 && (rest.size() == 0 || rest[0] == '[')) {
    const auto whole = text.sub(0, length);
    text = rest;
    if (const auto* scalar = find_scalar(name)) {
      const auto size = static_cast<std::int64_t>(scalar->size);
      return Layout{std::string(name), size, size, 1, false};
    }
    const auto found = named_.find(name);
    if (found != named_.end()) return named(found->second, whole.place());
    std::string near;
    if (faults_.may_compare(named_.size())) {
      std::vector<std::string_view> names;
      for (const auto& [known, unused] : named_) names.push_back(known);
      std::sort(names.begin(), names.end());
      for (const auto& scalar : scalars) names.push_back(scalar.name);
      near = nearest_names(name, names);
    }
    return fail(rule::unknown_type, fmt::format("{} is not a type", quote(name)), whole.place(),
                !near.empty() ? near : "declare it under `types`, or give a size, as 64 KiB");
  }
  if (text.size() == 0) return fail(rule::bad_type, "a type is missing", text.place());
  const auto whole = text;
  const auto size = numbers_.leading_size(text);
  if (!size) return std::nullopt;
  const auto used = whole.sub(0, whole.size() - text.size()).trimmed();
  if (*size <= 0 || *size > largest) {
    return fail(*size <= 0 ? rule::bad_size : rule::number_too_large,
                fmt::format("a message of {} bytes cannot be", *size), used.place());
  }
  Layout layout{{}, *size, 1, 1, false};
  if (text.value().substr(0, 5) == "align") {
    text = text.sub(5).trimmed();
    const auto number = text;
    const auto alignment = numbers_.leading_integer(text);
    if (!alignment) return std::nullopt;
    const auto place = number.sub(0, number.size() - text.size()).trimmed().place();
    layout.alignment = *alignment;
    if (!check_alignment(layout, place)) return std::nullopt;
  }
  return layout;
}

// Messages lie one behind the other, so each begins where the one before it ends.
bool Types::check_alignment(const Layout& layout, const Place& place) {
  const auto alignment = layout.alignment;
  if (alignment < 1 || alignment > 4096 || (alignment & (alignment - 1)) != 0) {
    fail(rule::bad_size, fmt::format("an alignment of {} cannot be", alignment), place,
         "it is a power of two, from 1 to 4096");
    return false;
  }
  if (layout.size % alignment != 0) {
    fail(rule::bad_size,
         fmt::format("{} bytes are no multiple of the alignment, {}", layout.size, alignment),
         place, fmt::format("make it {} bytes", aligned(layout.size, alignment)));
    return false;
  }
  return true;
}

bool Types::read_dimensions(Snippet text, Layout& layout) {
  while (text.size() != 0) {
    const auto close = text.value().find(']');
    if (text[0] != '[' || close == std::string_view::npos) {
      fail(rule::bad_type,
           text[0] == '[' ? "this bracket is not closed"
                          : fmt::format("{} cannot follow a type", quote(text.value())),
           text[0] == '[' ? text.sub(0, 1).place() : text.place(),
           "an array is written float32[64]");
      return false;
    }
    const auto inside = text.sub(1, close - 1);
    const auto count = numbers_.integer(inside);
    if (!count) return false;
    if (*count < 1) {
      fail(rule::bad_type, fmt::format("an array of {} elements cannot be", *count),
           inside.place());
      return false;
    }
    std::int64_t size = 0;
    if (__builtin_mul_overflow(layout.count, *count, &layout.count) ||
        __builtin_mul_overflow(layout.count, layout.size, &size) || size > largest) {
      fail(rule::number_too_large, "the array is larger than 2^62 bytes", inside.place());
      return false;
    }
    layout.array = true;
    text = text.sub(close + 1).trimmed();
  }
  return true;
}

// {name: …, size: …, align: …, elements: …}: any type at all, each key free to be left out.
std::optional<Types::Layout> Types::read_full(const Node& node) {
  constexpr std::string_view known[] = {"name", "size", "align", "elements"};
  Layout layout;
  layout.size = 0;
  Place align_place;
  bool whole = true;
  for (std::size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const auto& key = node.children[i];
    const auto& value = node.children[i + 1];
    if (key.text.substr(0, 2) == "x-") continue;
    if (std::find(std::begin(known), std::end(known), key.text) == std::end(known)) {
      const auto near = nearest_names(key.text, known);
      fail(rule::unknown_key, fmt::format("a type has no key {}", quote(key.text)),
           key.place(text_), !near.empty() ? near : "its keys are name, size, align and elements");
      whole = false;
      continue;
    }
    if (!value.is_scalar()) {
      fail(rule::wrong_kind, fmt::format("'{}' of a type is {}", key.text, describe(value.kind)),
           value.is_null() ? key.place(text_) : value.place(text_));
      whole = false;
      continue;
    }
    if (key.text == "name") {
      if (!value.text.empty() && !check_name(value.snippet(text_), "a type", faults_))
        whole = false;
      layout.name = value.text;
      continue;
    }
    auto rest = value.snippet(text_).trimmed();
    const auto number = key.text == "size" ? numbers_.leading_size(rest) : numbers_.integer(rest);
    if (number && key.text == "size" && rest.size() != 0) {
      fail(rule::bad_size, fmt::format("{} is not a size", quote(value.text)), rest.place());
      whole = false;
    } else if (number && (*number < 0 || *number > largest)) {
      fail(rule::bad_size, fmt::format("'{}' of a type cannot be {}", key.text, *number),
           value.place(text_));
      whole = false;
    } else if (!number) {
      whole = false;
    } else {
      (key.text == "size"    ? layout.size
       : key.text == "align" ? layout.alignment
                             : layout.count) = *number;
      if (key.text == "align") align_place = value.place(text_);
    }
  }
  if (!whole || (align_place.known() && !check_alignment(layout, align_place))) return std::nullopt;
  return layout;
}

std::optional<MessageType> Types::read(const Node& node) {
  if (node.is_null()) return MessageType{};
  MessageType type;
  if (node.is_map()) {
    const auto layout = read_full(node);
    if (!layout) return std::nullopt;
    type.name = layout->name;
    type.size = static_cast<std::size_t>(layout->size);
    type.alignment = static_cast<std::size_t>(layout->alignment);
    type.elements = layout->count;
    return type;
  }
  if (!node.is_scalar()) {
    return fail(rule::wrong_kind,
                fmt::format("a type is a name or a size, and this is {}", describe(node.kind)),
                node.place(text_),
                "in brackets and braces, an array needs quotes: \"float32[64]\"");
  }
  const auto layout = read_text(node.snippet(text_).trimmed());
  if (!layout) return std::nullopt;
  type.name = layout->name;
  if (layout->array && !type.name.empty()) type.name += fmt::format("[{}]", layout->count);
  type.size = static_cast<std::size_t>(layout->size * layout->count);
  type.alignment = static_cast<std::size_t>(layout->alignment);
  type.elements = layout->count;
  return type;
}

}  // namespace antiphon::io
