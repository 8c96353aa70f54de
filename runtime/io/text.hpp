// A text that is being read: places in it, and the faults found so far.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/place.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antiphon::io {

// Knows which byte of its source is on which line. A byte order mark is left out. One thread at a
// time.
class Text {
 public:
  Text(std::string text, std::string name);

  const std::string& name() const noexcept { return source_->name; }
  std::string_view view() const noexcept { return source_->text; }
  // Keeps what was made of a piece of it, as long as this.
  std::string_view keep(std::string made) const { return kept_.emplace_back(std::move(made)); }
  // Clipped to the end of its line.
  Place place(std::size_t offset, std::size_t length = 0) const;

 private:
  std::shared_ptr<const SourceText> source_;
  std::size_t line_of(std::size_t offset) const;  // from 1

  std::vector<std::size_t> line_starts_;
  mutable std::size_t last_line_ = 1;
  mutable std::deque<std::string> kept_;
};

// What was found to be wrong, in the order in which it was found.
class Faults {
 public:
  // More than this are counted and not kept.
  static constexpr std::size_t most = 100;

  void add(const Rule& rule, std::string message, Place place, std::string help = {},
           std::string label = {});
  // For a fault of the file as a whole.
  void add_about(const Rule& rule, std::string message, std::string subject, std::string help = {});
  // Adds to the fault that was added last.
  void also(Place place, std::string label);
  void note(std::string text);

  // Whether to compare a name with so many others, to find what was meant. In all it is not worth
  // more than a second.
  bool may_compare(std::size_t names) noexcept;

  bool any() const noexcept { return count_ != 0; }
  std::size_t count() const noexcept { return count_; }
  Report report(std::string graph) &&;

 private:
  Diagnostic* add_one(const Rule& rule, std::string message, std::string help);

  std::vector<Diagnostic> diagnostics_;
  std::size_t count_ = 0;
  std::size_t compared_ = 0;
};

// Reports what is no UTF-8 text; false when it did.
bool check_text(const Text& text, Faults& faults);

// A piece of a value, and where it stands.
class Snippet {
 public:
  // `exact`: the bytes of `value` are those from `offset` on, so that parts of it have places of
  // their own; otherwise each part has the place of the whole, which is `length` bytes long in the
  // text.
  Snippet(std::string_view value, const Text& text, std::size_t offset, std::size_t length,
          bool exact)
      : value_(value), text_(&text), offset_(offset), length_(length), exact_(exact) {}

  std::string_view value() const noexcept { return value_; }
  std::size_t size() const noexcept { return value_.size(); }
  char operator[](std::size_t i) const noexcept { return i < value_.size() ? value_[i] : '\0'; }
  Place place() const { return text_->place(offset_, length_); }
  // Without white space at either end.
  Snippet trimmed() const;
  Snippet sub(std::size_t begin, std::size_t length = std::string_view::npos) const;

 private:
  std::string_view value_;
  const Text* text_;
  std::size_t offset_;
  std::size_t length_;
  bool exact_;
};

bool is_utf8(std::string_view text);

// 'text' for a message: shortened, with control characters escaped.
std::string quote(std::string_view text);

}  // namespace antiphon::io
