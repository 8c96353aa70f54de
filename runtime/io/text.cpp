#include "io/text.hpp"

#include "graph/format_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace antiphon::io {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// Length of the UTF-8 sequence at `at`; 0 when there is none (RFC 3629: no surrogates, nothing
// overlong).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i, unsigned from = 0x80U, unsigned to = 0xBFU) {
    return byte(i) >= from && byte(i) <= to;
  };
  const unsigned first = byte(at);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return follows(at + 1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool second =
        follows(at + 1, first == 0xE0U ? 0xA0U : 0x80U, first == 0xEDU ? 0x9FU : 0xBFU);
    return second && follows(at + 2) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool second =
        follows(at + 1, first == 0xF0U ? 0x90U : 0x80U, first == 0xF4U ? 0x8FU : 0xBFU);
    return second && follows(at + 2) && follows(at + 3) ? 4 : 0;
  }
  return 0;
}

// How many bytes from the beginning on are printable ASCII for sure, eight at a time.
std::size_t plain_words(std::string_view text) {
  constexpr std::uint64_t each = 0x0101010101010101;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof word);
    // A byte's top bit is set where it is 0x7F or more, or less than 0x20 (which borrows).
    if ((((word + each) | (word - each * 0x20) | word) & (each * 0x80)) != 0) break;
  }
  return at;
}

}  // namespace

Text::Text(std::string text, std::string name) {
  if (std::string_view(text).substr(0, 3) == byte_order_mark) text.erase(0, 3);
  source_ = std::make_shared<const SourceText>(SourceText{std::move(name), std::move(text)});
  line_starts_.push_back(0);
  const auto& whole = source_->text;
  for (auto at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1)) {
    line_starts_.push_back(at + 1);
  }
}

// Texts are read from their beginning to their end, so it is nearly always the line of the last one
// that was asked for, or the next.
std::size_t Text::line_of(std::size_t offset) const {
  const auto holds = [&](std::size_t line) {
    return line > 0 && line <= line_starts_.size() && line_starts_[line - 1] <= offset &&
           (line == line_starts_.size() || offset < line_starts_[line]);
  };
  for (const auto line : {last_line_, last_line_ + 1}) {
    if (holds(line)) return last_line_ = line;
  }
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return last_line_ = static_cast<std::size_t>(after - line_starts_.begin());
}

Place Text::place(std::size_t offset, std::size_t length) const {
  offset = std::min(offset, source_->text.size());
  const auto line = line_of(offset);
  auto line_end = line == line_starts_.size() ? source_->text.size() : line_starts_[line] - 1;
  if (line_end > offset && source_->text[line_end - 1] == '\r') --line_end;
  length = std::min(length, std::max(line_end, offset) - offset);
  return {source_, static_cast<std::uint32_t>(line),
          static_cast<std::uint32_t>(offset - line_starts_[line - 1] + 1),
          static_cast<std::uint32_t>(length)};
}

Diagnostic* Faults::add_one(const Rule& rule, std::string message, std::string help) {
  if (++count_ > most) return nullptr;
  Diagnostic& added = diagnostics_.emplace_back();
  added.code = rule.code;
  added.severity = rule.severity;
  added.message = std::move(message);
  added.help = std::move(help);
  return &added;
}

void Faults::add(const Rule& rule, std::string message, Place place, std::string help,
                 std::string label) {
  if (auto* added = add_one(rule, std::move(message), std::move(help))) {
    added->marks.push_back({std::move(place), {}, std::move(label)});
  }
}

void Faults::add_about(const Rule& rule, std::string message, std::string subject,
                       std::string help) {
  if (auto* added = add_one(rule, std::move(message), std::move(help))) {
    added->marks.push_back({{}, std::move(subject), {}});
  }
}

void Faults::also(Place place, std::string label) {
  if (count_ <= most) diagnostics_.back().marks.push_back({std::move(place), {}, std::move(label)});
}

void Faults::note(std::string text) {
  if (count_ <= most) diagnostics_.back().notes.push_back(std::move(text));
}

bool Faults::may_compare(std::size_t names) noexcept {
  constexpr std::size_t most_compared = 1'000'000;
  if (count_ >= most || names > most_compared - compared_) return false;
  compared_ += names;
  return true;
}

Report Faults::report(std::string graph) && {
  if (count_ > most) {
    diagnostics_.back().notes.push_back(
        fmt::format("{} faults more were found and are not shown", count_ - most));
  }
  Report report;
  report.graph = std::move(graph);
  report.verdict = Verdict::unreadable;
  report.diagnostics = std::move(diagnostics_);
  return report;
}

bool check_text(const Text& text, Faults& faults) {
  const auto bytes = text.view();
  if ((bytes.size() >= 2 &&
       (bytes.substr(0, 2) == "\xFF\xFE" || bytes.substr(0, 2) == "\xFE\xFF"))) {
    faults.add(graph_rules::not_text, "the file is UTF-16, not UTF-8", text.place(0),
               "save it as UTF-8");
    return false;
  }
  for (std::size_t at = 0; at < bytes.size();) {
    at += plain_words(bytes.substr(at));
    if (at == bytes.size()) break;
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if ((byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t' || byte == '\r') {
      ++at;
      continue;
    }
    if (byte < 0x80) {
      faults.add(graph_rules::not_text,
                 fmt::format("the file is not text: it holds the control character 0x{:02x}", byte),
                 text.place(at), "give a graph as YAML, JSON or SDF3 XML");
      return false;
    }
    const auto length = utf8_length(bytes, at);
    if (length == 0) {
      faults.add(graph_rules::not_text, fmt::format("byte 0x{:02x} is not UTF-8 here", byte),
                 text.place(at), "save the file as UTF-8");
      return false;
    }
    at += length;
  }
  return true;
}

Snippet Snippet::trimmed() const {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = value_.find_first_not_of(blank);
  if (first == std::string_view::npos) return sub(value_.size());
  return sub(first, value_.find_last_not_of(blank) - first + 1);
}

Snippet Snippet::sub(std::size_t begin, std::size_t length) const {
  begin = std::min(begin, value_.size());
  const auto part = value_.substr(begin, length);
  if (!exact_) return {part, *text_, offset_, length_, false};
  return {part, *text_, offset_ + begin, part.size(), true};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  std::size_t at = 0;
  while (at < text.size() && at < longest) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
      ++at;
      continue;
    }
    const auto length = std::max<std::size_t>(1, utf8_length(text, at));
    result += text.substr(at, length);
    at += length;
  }
  if (at < text.size()) result += "…";
  return result + "'";
}

}  // namespace antiphon::io
