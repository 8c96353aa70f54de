#include "io/plain_document.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace antiphon::io {

namespace {

constexpr std::size_t deepest = 60;        // the parser's own limit is a little larger
constexpr std::size_t longest_key = 1000;  // YAML's is 1024

// Every function that returns bool returns false when the text is not plain; nothing is read after
// that.
class PlainReader {
 public:
  explicit PlainReader(std::string_view text) : text_(text) {}

  std::optional<Node> read() {
    // Line ends of other systems, and what begins directives and documents.
    if (text_.find('\r') != std::string_view::npos || begins_marker(0)) return std::nullopt;
    Node root;
    if (!next_line()) return std::nullopt;
    const char first = peek();
    if (first == '{' || first == '[') {
      if (!flow(root, 0) || !line_end() || at_ < text_.size()) return std::nullopt;
      return root;
    }
    if (!block(root, column(), 0) || at_ < text_.size()) return std::nullopt;
    return root;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Node::Offset here() const { return static_cast<Node::Offset>(at_); }
  std::size_t column() const { return at_ - line_; }
  static bool is_end(char c) { return c == '\n' || c == '\0'; }
  bool begins_marker(std::size_t at) const {
    const auto three = text_.substr(at, 3);
    return three == "---" || three == "..." || three.substr(0, 1) == "%";
  }

  // To the first character of the next line that has one; false at the text's end. at_ stands at
  // the begin of a line.
  bool next_line() {
    while (at_ < text_.size()) {
      line_ = at_;
      while (peek() == ' ') ++at_;
      if (peek() != '#' && !is_end(peek())) return true;
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
    }
    line_ = at_;
    return false;
  }

  // What is left of a line after a value: blanks and a comment. Then next_line().
  bool line_end() {
    while (peek() == ' ') ++at_;
    if (begins_comment()) at_ = std::min(text_.find('\n', at_), text_.size());
    if (!is_end(peek())) return false;
    at_ = std::min(at_ + 1, text_.size());
    next_line();
    return at_ == text_.size() || (peek() != '\t' && !(column() == 0 && begins_marker(at_)));
  }

  // At the begin of a line, or after a blank.
  bool begins_comment() const {
    return peek() == '#' && (at_ == line_ || text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t');
  }
  bool begins_item() const { return peek() == '-' && (peek(1) == ' ' || is_end(peek(1))); }

  // A map or a list whose lines begin at this column; at_ stands at its first character. A list
  // that is the value of a key may begin in the key's own column.
  bool block(Node& node, std::size_t indent, std::size_t depth, bool below_key = false) {
    if (depth > deepest) return false;
    node.offset = here();
    if (begins_item() ? !items(node, indent, depth) : !entries(node, indent, depth)) return false;
    // The next line belongs to what is around this, and so begins further left.
    return at_ == text_.size() || column() < indent || (below_key && column() == indent);
  }

  bool items(Node& node, std::size_t indent, std::size_t depth) {
    node.kind = Node::Kind::list;
    while (at_ < text_.size() && column() == indent && begins_item()) {
      ++at_;
      while (peek() == ' ') ++at_;
      Node item;
      if (peek() == '#' || is_end(peek())) {
        if (!line_end() || column() <= indent || !block(item, column(), depth + 1)) return false;
      } else if (begins_item() || begins_entry()) {
        if (!block(item, column(), depth + 1)) return false;
      } else if (!inline_value(item, indent, depth)) {
        return false;
      }
      node.children.push_back(std::move(item));
    }
    return close(node);
  }

  bool entries(Node& node, std::size_t indent, std::size_t depth) {
    node.kind = Node::Kind::map;
    while (at_ < text_.size() && column() == indent && !begins_item()) {
      Node key;
      if (!scalar(key, false, true) || key.length > longest_key) return false;
      while (peek() == ' ') ++at_;
      if (peek() != ':' || (peek(1) != ' ' && !is_end(peek(1)))) return false;
      ++at_;
      while (peek() == ' ') ++at_;
      Node value;
      if (peek() == '#' || is_end(peek())) {
        if (!line_end() || at_ == text_.size()) return false;
        const bool item = column() == indent && begins_item();
        if (column() <= indent && !item) return false;  // there is no value
        if (!block(value, column(), depth + 1, item)) return false;
      } else if (!inline_value(value, indent, depth)) {
        return false;
      }
      node.children.push_back(std::move(key));
      node.children.push_back(std::move(value));
    }
    return close(node);
  }

  // A value that begins and ends on the line of its key or dash, but for brackets.
  bool inline_value(Node& value, std::size_t indent, std::size_t depth) {
    if (peek() == '{' || peek() == '[') {
      flow_indent_ = indent;
      in_block_ = true;
      if (!flow(value, depth + 1)) return false;
    } else if (!scalar(value, false, false)) {
      return false;
    }
    if (!line_end()) return false;
    return at_ == text_.size() || column() <= indent;  // further right it would go on
  }

  // Whether `key:` begins here, on one line.
  bool begins_entry() {
    const auto begin = at_;
    Node key;
    bool found = peek() != '{' && peek() != '[' && scalar(key, false, true);
    while (peek() == ' ') ++at_;
    found = found && peek() == ':' && (peek(1) == ' ' || is_end(peek(1)));
    at_ = begin;
    return found;
  }

  bool flow(Node& node, std::size_t depth) {
    if (depth > deepest) return false;
    const bool map = peek() == '{';
    const char close_mark = map ? '}' : ']';
    node.kind = map ? Node::Kind::map : Node::Kind::list;
    node.offset = here();
    ++at_;
    if (!flow_blanks()) return false;
    if (peek() == close_mark) {
      ++at_;
      return close(node);
    }
    node.children.reserve(map ? 4 : 1);  // most have so many
    for (;;) {
      if (map && !flow_key(node)) return false;
      auto& value = node.children.emplace_back();
      if (peek() == '{' || peek() == '[') {
        if (!flow(value, depth + 1)) return false;
      } else if (!scalar(value, true, false)) {
        return false;
      }
      if (!flow_blanks()) return false;
      if (peek() == close_mark) {
        ++at_;
        return close(node);
      }
      if (peek() != ',') return false;
      ++at_;
      if (!flow_blanks()) return false;
    }
  }

  bool flow_key(Node& node) {
    const auto line = line_;
    auto& key = node.children.emplace_back();
    const bool quoted = peek() == '"' || peek() == '\'';
    if (!scalar(key, true, true) || key.length > longest_key) return false;
    while (peek() == ' ') ++at_;
    if (peek() != ':' || line != line_) return false;
    // After a quoted key, as in JSON, the value may follow at once.
    if (!quoted && peek(1) != ' ' && peek(1) != '\n' && peek(1) != '\t') return false;
    ++at_;
    return flow_blanks();
  }

  // Blanks, comments and line ends between brackets.
  bool flow_blanks() {
    for (;;) {
      while (peek() == ' ' || peek() == '\t') ++at_;
      if (peek() == '#') {
        if (!begins_comment()) return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
      }
      if (peek() != '\n') return at_ < text_.size();
      line_ = ++at_;
      if (begins_marker(at_)) return false;
      while (peek() == ' ' || peek() == '\t') ++at_;
      // The parser may be strict about brackets that go on left of what they are in.
      if (in_block_ && !is_end(peek()) && column() <= flow_indent_) return false;
    }
  }

  // A scalar on one line. A key ends at its colon.
  bool scalar(Node& node, bool in_flow, bool key) {
    node.kind = Node::Kind::scalar;
    node.offset = here();
    const char first = peek();
    if (first == '"' || first == '\'') {
      const auto end = text_.find_first_of(first == '"' ? "\"\\\n" : "'\n", at_ + 1);
      if (end == std::string_view::npos || text_[end] != first) return false;
      if (first == '\'' && end + 1 < text_.size() && text_[end + 1] == first) return false;
      node.text = text_.substr(at_ + 1, end - at_ - 1);
      node.text_offset = node.offset + 1;
      node.length = static_cast<Node::Offset>(end + 1 - at_);
      at_ = end + 1;
      return true;
    }
    if (!begins_plain()) return false;
    const auto end = plain_end(in_flow, key);
    if (end == std::string_view::npos) return false;
    node.text = text_.substr(at_, end - at_);
    node.text_offset = node.offset;
    node.length = static_cast<Node::Offset>(node.text.size());
    at_ = end;
    return node.text != "~" && node.text != "null" && node.text != "Null" && node.text != "NULL";
  }

  bool begins_plain() const {
    const char first = peek();
    if (first == '-') return peek(1) != ' ' && peek(1) != '\t' && !is_end(peek(1));
    return static_cast<unsigned char>(first) > ' ' &&
           std::string_view("?:,[]{}#&*!|>'\"%@`\x7F").find(first) == std::string_view::npos;
  }

  // Where a plain scalar ends, without the blanks after it; npos: it is not on one line and plain.
  std::size_t plain_end(bool in_flow, bool key) const {
    std::size_t end = at_;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      const char c = text_[i];
      const char next = i + 1 < text_.size() ? text_[i + 1] : '\n';
      if (c == '\n') break;
      if (c == '\t' || (in_flow && c == '?')) return std::string_view::npos;
      if (c == '#' && text_[i - 1] == ' ') break;
      if (in_flow && (c == ',' || c == '[' || c == ']' || c == '{' || c == '}')) break;
      if (c == ':') {
        if (next == ' ' || next == '\n') return key ? end : std::string_view::npos;
        if (in_flow) return std::string_view::npos;
      }
      if (c != ' ') end = i + 1;
    }
    return end == at_ ? std::string_view::npos : end;
  }

  // As the parser measures: to the end of the last child, but for the closing bracket.
  static bool close(Node& node) {
    node.length = 1;
    if (!node.children.empty()) {
      const auto& last = node.children.back();
      node.length = std::max(node.length, last.offset + last.length - node.offset);
    }
    return node.is_list() || has_distinct_keys(node);
  }

  static bool has_distinct_keys(const Node& map) {
    constexpr std::size_t few = 16;
    const auto& all = map.children;
    if (all.size() <= few) {
      for (std::size_t i = 0; i < all.size(); i += 2) {
        for (std::size_t j = 0; j < i; j += 2) {
          if (all[i].text == all[j].text) return false;
        }
      }
      return true;
    }
    std::unordered_set<std::string_view> seen;
    seen.reserve(all.size() / 2);
    for (std::size_t i = 0; i < all.size(); i += 2) {
      if (!seen.insert(all[i].text).second) return false;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  // where the line of at_ begins
  // Brackets inside a block: their lines begin right of this column.
  std::size_t flow_indent_ = 0;
  bool in_block_ = false;
};

}  // namespace

std::optional<Node> read_plain_document(const Text& text) {
  return PlainReader(text.view()).read();
}

}  // namespace antiphon::io
