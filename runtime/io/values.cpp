// The bytes of initial messages.
#include "io/half.hpp"
#include "io/types.hpp"

#include "graph/format_rules.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

class Values {
 public:
  Values(const MessageType& type, const Scalar& scalar, std::size_t most, const Text& text,
         const Numbers& numbers, Faults& faults)
      : type_(type),
        scalar_(scalar),
        most_(most),
        text_(text),
        numbers_(numbers),
        faults_(faults) {}

  bool message(const Node& node) {
    if (type_.size > most_ - bytes_.size()) {
      faults_.add(rule::bad_values, "the graph's initial values are larger than 256 MiB",
                  node.place(text_), "leave them out, and let the first firing write them");
      return false;
    }
    const auto begin = bytes_.size();
    if (node.is_scalar()) {
      if (!scalar(node)) return false;
      for (std::int64_t i = 1; i < type_.elements; ++i) {
        bytes_.resize(bytes_.size() + scalar_.size);
        std::memcpy(&bytes_[bytes_.size() - scalar_.size], &bytes_[begin], scalar_.size);
      }
      return true;
    }
    if (!scalars(node)) return false;
    const auto count = (bytes_.size() - begin) / scalar_.size;
    if (count == static_cast<std::size_t>(type_.elements)) return true;
    faults_.add(rule::bad_values,
                fmt::format("this message has {} values, and a {} has {}", count, type_.name,
                            type_.elements),
                node.place(text_), "give all of them, or a single one for the whole message");
    return false;
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  bool scalars(const Node& node) {
    if (node.is_scalar()) return scalar(node);
    if (!node.is_list()) {
      faults_.add(rule::bad_values,
                  fmt::format("an initial value is a number, and this is {}", describe(node.kind)),
                  node.place(text_));
      return false;
    }
    for (const auto& child : node.children) {
      if (!scalars(child)) return false;
    }
    return true;
  }

  bool scalar(const Node& node) {
    return scalar_.kind == Scalar::Kind::floating ? floating(node) : integer(node);
  }

  bool integer(const Node& node) {
    const auto text = node.snippet(text_).trimmed();
    std::uint64_t bits = 0;
    const auto* end = text.value().data() + text.size();
    const auto read = std::from_chars(text.value().data(), end, bits);
    const bool plain = read.ec == std::errc{} && read.ptr == end;
    bool fits = false;
    if (scalar_.kind == Scalar::Kind::unsigned_integer && plain) {
      // Beyond what an expression can hold, so that uint64 has all its values.
      fits = scalar_.size == 8 || bits >> (8 * scalar_.size) == 0;
    } else {
      const auto value = numbers_.integer(text);
      if (!value) return false;
      const auto width = 8 * scalar_.size - (scalar_.kind == Scalar::Kind::signed_integer ? 1 : 0);
      const auto most =
          width >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << width) - 1;
      const auto least = scalar_.kind == Scalar::Kind::signed_integer ? -most - 1 : 0;
      fits = *value >= least && *value <= most;
      bits = static_cast<std::uint64_t>(*value);
    }
    if (!fits) {
      faults_.add(rule::bad_values,
                  fmt::format("{} does not fit into {}", quote(text.value()), scalar_.name),
                  text.place());
      return false;
    }
    append(bits);
    return true;
  }

  bool floating(const Node& node) {
    const auto text = node.snippet(text_).trimmed();
    double value = 0;
    if (!number(text.value(), value)) {
      faults_.add(rule::bad_values,
                  fmt::format("{} does not fit into {}", quote(text.value()), scalar_.name),
                  text.place(), "a decimal number, .inf, -.inf or .nan");
      return false;
    }
    std::uint64_t bits = 0;
    if (scalar_.size == 8) {
      std::memcpy(&bits, &value, sizeof value);
    } else if (scalar_.size == 4) {
      // From the text, not from the double: rounding twice can miss the nearest float.
      float single = static_cast<float>(value);
      if (std::isfinite(value))
        std::from_chars(begin_of(text.value()), end_of(text.value()), single);
      std::uint32_t word = 0;
      std::memcpy(&word, &single, sizeof single);
      bits = word;
    } else {
      bits = half_from(value);
    }
    const bool overflowed = std::isfinite(value) && !is_finite(bits);
    if (overflowed) {
      faults_.add(rule::bad_values,
                  fmt::format("{} does not fit into {}", quote(text.value()), scalar_.name),
                  text.place());
      return false;
    }
    append(bits);
    return true;
  }

  bool is_finite(std::uint64_t bits) const {
    if (scalar_.size == 2) return (bits & 0x7C00U) != 0x7C00U;
    if (scalar_.size == 4) return (bits & 0x7F800000U) != 0x7F800000U;
    return (bits & 0x7FF0000000000000U) != 0x7FF0000000000000U;
  }

  static const char* begin_of(std::string_view text) {
    return text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
  }
  static const char* end_of(std::string_view text) { return text.data() + text.size(); }

  static bool number(std::string_view text, double& value) {
    if (text == ".nan" || text == ".NaN" || text == ".NAN") {
      value = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
    const bool negative = !text.empty() && text[0] == '-';
    const auto size = text.substr(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
    if (size == ".inf" || size == ".Inf" || size == ".INF") {
      value = negative ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
      return true;
    }
    // from_chars would take `inf` and `nan`, which are names here.
    if (size.empty() || (size[0] != '.' && (size[0] < '0' || size[0] > '9'))) return false;
    const auto read = std::from_chars(begin_of(text), end_of(text), value);
    return read.ec == std::errc{} && read.ptr == end_of(text);
  }

  void append(std::uint64_t bits) {
    const auto at = bytes_.size();
    bytes_.resize(at + scalar_.size);
    const auto put = [&](auto word) { std::memcpy(&bytes_[at], &word, sizeof word); };
    switch (scalar_.size) {
      case 1:
        put(static_cast<std::uint8_t>(bits));
        break;
      case 2:
        put(static_cast<std::uint16_t>(bits));
        break;
      case 4:
        put(static_cast<std::uint32_t>(bits));
        break;
      default:
        put(bits);
        break;
    }
  }

  const MessageType& type_;
  const Scalar& scalar_;
  const std::size_t most_;
  const Text& text_;
  const Numbers& numbers_;
  Faults& faults_;
  std::vector<std::byte> bytes_;
};

}  // namespace

std::optional<std::vector<std::byte>> read_values(const Node& node, const MessageType& type,
                                                  std::size_t& most, const Text& text,
                                                  const Numbers& numbers, Faults& faults) {
  const auto* scalar = scalar_of(type);
  if (scalar == nullptr) {
    faults.add(rule::bad_values, "values can only be given for scalars and arrays of scalars",
               node.place(text), "give the channel a type, or its messages as `bytes`");
    return std::nullopt;
  }
  Values values(type, *scalar, most, text, numbers, faults);
  for (const auto& child : node.children) {
    if (!values.message(child)) return std::nullopt;
  }
  auto bytes = values.take();
  most -= bytes.size();
  return bytes;
}

std::optional<std::vector<std::byte>> read_bytes(const Node& node, const Text& text,
                                                 Faults& faults) {
  const auto digits = node.snippet(text);
  std::vector<std::byte> bytes;
  bytes.reserve(digits.size() / 2);
  std::size_t count = 0;
  unsigned byte = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    if (c == ' ' || c == '\n') continue;
    unsigned digit = 0;
    const auto read = std::from_chars(&digits.value()[i], &digits.value()[i] + 1, digit, 16);
    if (read.ec != std::errc{}) {
      faults.add(rule::bad_values, fmt::format("{} is not a hexadecimal digit", quote({&c, 1})),
                 digits.sub(i, 1).place());
      return std::nullopt;
    }
    byte = byte * 16 + digit;
    if (++count % 2 == 0) {
      bytes.push_back(static_cast<std::byte>(byte));
      byte = 0;
    }
  }
  if (count % 2 != 0) {
    faults.add(rule::bad_values, "the last byte has one digit, and a byte has two", digits.place());
    return std::nullopt;
  }
  return bytes;
}

}  // namespace antiphon::io
