// Names, numbers, types and values as the YAML that read_document and its users read back the same.
#pragma once

#include "base/rational.hpp"

#include <antiphon/message_type.hpp>
#include <antiphon/phase_sequence.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace antiphon::io {

// A scalar, in quotes where it needs them. Throws Error{misuse} for what is not UTF-8.
std::string yaml_scalar(std::string_view text);
// A name that can be an end of an arrow without quotes.
bool is_plain_name(std::string_view name);

std::string size_text(std::size_t bytes);
std::string time_text(std::int64_t nanoseconds);
// "60/s": so many in one nanosecond.
std::string rate_text(const Rational& per_nanosecond);
// `times`: the values are in ns and get units.
std::string phases_text(const PhaseSequence& phases, bool times);
// `short` is a scalar; otherwise the text is a map. Nothing: the type says nothing.
struct TypeText {
  std::string text;
  bool is_short = true;
};
std::optional<TypeText> type_text(const MessageType& type);
// The list of `count` messages of this type with these bytes; nothing when it would not be read
// back bit for bit, or would be long.
std::optional<std::string> values_text(std::span<const std::byte> bytes, std::int64_t count,
                                       const MessageType& type);
std::string bytes_text(std::span<const std::byte> bytes);

}  // namespace antiphon::io
