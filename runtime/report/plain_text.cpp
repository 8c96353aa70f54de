#include "report/plain_text.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace antiphon::report {

namespace {

// The bytes of the code point that `text` begins with, or 0 when it begins with none (the Unicode
// Standard, table 3-7: no surrogates, nothing above U+10FFFF, no longer form than needed).
std::size_t code_point(std::string_view text, std::uint32_t& value) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  value = lead;
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  value = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    value = value << 6U | (byte(i) & 0x3FU);
  }
  const bool shortest = length == 2 || (length == 3 ? value >= 0x800 : value >= 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return shortest && !surrogate && value <= 0x10FFFF ? length : 0;
}

// C0, DEL, C1, and the marks that reorder what follows them on a screen.
bool is_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string plain(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::uint32_t value = 0;
    const auto length = code_point(text, value);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    if (value == '\t') {
      result += ' ';
    } else if (is_control(value)) {
      result += value < 0x100 ? fmt::format("\\x{:02x}", value) : fmt::format("\\u{:04x}", value);
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result;
}

std::size_t cells(std::string_view plain_text) noexcept {
  std::size_t count = 0;
  for (const char c : plain_text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace antiphon::report
