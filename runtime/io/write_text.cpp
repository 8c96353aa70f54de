#include "io/write_text.hpp"

#include "base/int128.hpp"
#include "io/half.hpp"
#include "io/text.hpp"
#include "io/types.hpp"

#include <antiphon/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace antiphon::io {

namespace {

// Words that YAML readers, of whichever version, take for something other than text.
constexpr std::string_view words[] = {"null", "true", "false", "yes", "no", "on", "off"};

bool is_word(std::string_view text) {
  return std::any_of(std::begin(words), std::end(words), [&](std::string_view word) {
    return word.size() == text.size() &&
           std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
  });
}

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Step {
  std::int64_t factor;
  std::string_view unit;
};
constexpr std::array<Step, 4> size_steps{
    {{std::int64_t{1} << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}}};
constexpr std::array<Step, 4> time_steps{
    {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};

std::string with_unit(std::int64_t value, const std::array<Step, 4>& steps) {
  for (const auto& step : steps) {
    if (value != 0 && value % step.factor == 0)
      return fmt::format("{} {}", value / step.factor, step.unit);
  }
  return fmt::format("0 {}", steps.back().unit);
}

std::string runs_text(std::span<const PhaseRun> runs, bool times) {
  std::string text;
  for (const auto& run : runs) {
    if (!text.empty()) text += ", ";
    if (run.count != 1) text += fmt::format("{}*", run.count);
    text += times ? time_text(run.value) : fmt::format("{}", run.value);
  }
  return text;
}

template <typename Float>
std::string shortest(Float value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string integer_text(std::span<const std::byte> bytes, bool is_signed) {
  switch (bytes.size()) {
    case 1:
      return is_signed ? fmt::format("{}", load<std::int8_t>(bytes))
                       : fmt::format("{}", load<std::uint8_t>(bytes));
    case 2:
      return is_signed ? fmt::format("{}", load<std::int16_t>(bytes))
                       : fmt::format("{}", load<std::uint16_t>(bytes));
    case 4:
      return is_signed ? fmt::format("{}", load<std::int32_t>(bytes))
                       : fmt::format("{}", load<std::uint32_t>(bytes));
    default:
      return is_signed ? fmt::format("{}", load<std::int64_t>(bytes))
                       : fmt::format("{}", load<std::uint64_t>(bytes));
  }
}

// Nothing for a NaN other than the one that `.nan` stands for.
std::optional<std::string> floating_text(std::span<const std::byte> bytes) {
  constexpr std::uint32_t quiet = 0x7FC00000U;
  constexpr std::uint64_t quiet_double = 0x7FF8000000000000U;
  if (bytes.size() == 2) {
    const auto bits = load<std::uint16_t>(bytes);
    const auto value = half_value(bits);
    if (std::isnan(value) && bits != 0x7E00U) return std::nullopt;
    return shortest(value);
  }
  if (bytes.size() == 4) {
    const auto value = load<float>(bytes);
    if (std::isnan(value) && load<std::uint32_t>(bytes) != quiet) return std::nullopt;
    return shortest(value);
  }
  const auto value = load<double>(bytes);
  if (std::isnan(value) && load<std::uint64_t>(bytes) != quiet_double) return std::nullopt;
  return shortest(value);
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  if (!is_utf8(text)) {
    throw Error(ErrorKind::misuse,
                fmt::format("the name {} is not UTF-8, and cannot be written", quote(text)));
  }
  // What is read back would refuse them.
  const auto is_control = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    throw Error(
        ErrorKind::misuse,
        fmt::format("the name {} has control characters, and cannot be written", quote(text)));
  }
  const bool plain = !text.empty() && (is_letter(text[0]) || is_digit(text[0])) && !is_word(text) &&
                     std::all_of(text.begin(), text.end(), [](char c) {
                       return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/' ||
                              c == '*' || c == '+';
                     });
  // A size or a time: digits, a space, letters.
  const auto space = text.find(' ');
  const bool quantity =
      space != std::string_view::npos && space != 0 &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(space), is_digit) &&
      space + 1 < text.size() &&
      std::all_of(text.begin() + static_cast<std::ptrdiff_t>(space) + 1, text.end(), is_letter);
  if (plain || quantity) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && (is_letter(name[0]) || is_digit(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

std::string size_text(std::size_t bytes) {
  return with_unit(static_cast<std::int64_t>(bytes), size_steps);
}
std::string time_text(std::int64_t nanoseconds) {
  return with_unit(nanoseconds, time_steps);
}

std::string rate_text(const Rational& per_nanosecond) {
  // What was read is a number with at most nine digits behind the point, in one of these.
  for (const auto& [unit, factor] :
       {std::pair{"s", 1'000'000'000LL}, std::pair{"ms", 1'000'000LL}, std::pair{"us", 1'000LL},
        std::pair{"ns", 1LL}, std::pair{"min", 60'000'000'000LL},
        std::pair{"h", 3'600'000'000'000LL}}) {
    std::int64_t scale = 1;
    for (int digits = 0; digits < 10; ++digits, scale *= 10) {
      const auto scaled = Int128{per_nanosecond.numerator()} * factor * scale;
      if (scaled % per_nanosecond.denominator() != 0) continue;
      const auto whole = scaled / per_nanosecond.denominator();
      if (whole > INT64_MAX / 100) break;
      const auto value = static_cast<std::int64_t>(whole);
      if (digits == 0) return fmt::format("{}/{}", value, unit);
      return fmt::format("{}.{:0{}}/{}", value / scale, value % scale, digits, unit);
    }
  }
  throw Error(ErrorKind::misuse, "a required rate cannot be written as a number with a unit");
}

std::string phases_text(const PhaseSequence& phases, bool times) {
  const auto periodic = phases.periodic_runs();
  const auto cycle = runs_text(periodic, times);
  if (phases.initial_phases() == 0) {
    return periodic.size() == 1 ? cycle : fmt::format("[{}]", cycle);
  }
  return fmt::format("{{initial: [{}], then: [{}]}}", runs_text(phases.initial_runs(), times),
                     cycle);
}

std::optional<TypeText> type_text(const MessageType& type) {
  if (type.name.empty() && type.size == 0 && type.alignment == 1 && type.elements == 1)
    return std::nullopt;
  const auto elements = static_cast<std::size_t>(std::max<std::int64_t>(type.elements, 0));
  if (const auto* scalar = scalar_of(type); scalar != nullptr && type.alignment == scalar->size) {
    if (type.name == scalar->name && type.elements == 1) return TypeText{type.name, true};
    if (type.name == fmt::format("{}[{}]", scalar->name, type.elements)) {
      return TypeText{'"' + type.name + '"', true};
    }
  }
  const bool sized = type.size != 0 && type.alignment != 0 && type.alignment <= 4096 &&
                     (type.alignment & (type.alignment - 1)) == 0;
  if (type.name.empty() && sized && elements != 0 && type.size % elements == 0) {
    auto text = size_text(type.size / elements);
    if (type.alignment != 1) text += fmt::format(" align {}", type.alignment);
    // An array of one element counts as one.
    if (elements != 1) return TypeText{fmt::format("\"{} [{}]\"", text, elements), true};
    return TypeText{std::move(text), true};
  }
  std::string map;
  const auto add = [&](std::string_view key, const std::string& value) {
    map += fmt::format("{}{}: {}", map.empty() ? "" : ", ", key, value);
  };
  if (!type.name.empty()) add("name", yaml_scalar(type.name));
  if (type.size != 0) add("size", size_text(type.size));
  if (type.alignment != 1) add("align", fmt::format("{}", type.alignment));
  if (type.elements != 1) add("elements", fmt::format("{}", type.elements));
  return TypeText{fmt::format("{{{}}}", map), false};
}

std::optional<std::string> values_text(std::span<const std::byte> bytes, std::int64_t count,
                                       const MessageType& type) {
  constexpr std::size_t most_scalars = 1024;
  const auto* scalar = scalar_of(type);
  if (scalar == nullptr || count < 1 || bytes.size() % scalar->size != 0 ||
      bytes.size() / scalar->size > most_scalars ||
      bytes.size() != static_cast<std::size_t>(count) * type.size) {
    return std::nullopt;
  }
  std::string text = "[";
  for (std::int64_t i = 0; i < count; ++i) {
    const auto message = bytes.subspan(static_cast<std::size_t>(i) * type.size, type.size);
    const auto first = message.first(scalar->size);
    bool all_equal = true;
    for (std::size_t at = 0; at < message.size(); at += scalar->size) {
      all_equal = all_equal && std::ranges::equal(message.subspan(at, scalar->size), first);
    }
    const auto shown = all_equal ? first : message;
    if (i != 0) text += ", ";
    if (!all_equal) text += '[';
    for (std::size_t at = 0; at < shown.size(); at += scalar->size) {
      const auto one = shown.subspan(at, scalar->size);
      if (at != 0) text += ", ";
      if (scalar->kind == Scalar::Kind::floating) {
        const auto number = floating_text(one);
        if (!number) return std::nullopt;
        text += *number;
      } else {
        text += integer_text(one, scalar->kind == Scalar::Kind::signed_integer);
      }
    }
    if (!all_equal) text += ']';
  }
  return text + "]";
}

std::string bytes_text(std::span<const std::byte> bytes) {
  std::string text = "\"";
  text.reserve(2 * bytes.size() + 2);
  for (const auto byte : bytes)
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(byte));
  return text + '"';
}

}  // namespace antiphon::io
