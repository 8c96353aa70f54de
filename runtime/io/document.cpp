#include "io/document.hpp"

#include "graph/format_rules.hpp"
#include "io/plain_document.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace antiphon::io {

namespace rule = graph_rules;

namespace {

constexpr std::size_t deepest = 64;

// Thrown through the parser, which has no other way to be stopped; never leaves this file.
struct Stopped {};

// JSON writes characters beyond U+FFFF as two escapes (\ud83d\ude00), which YAML does not know.
// They are replaced by the character itself, and offsets are led back to the text as it was.
class JsonEscapes {
 public:
  explicit JsonEscapes(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    if (json && text.find("\\u") != std::string_view::npos) replace(text);
  }

  bool changed() const noexcept { return !removed_.empty(); }
  const std::string& text() const noexcept { return text_; }
  std::size_t original(std::size_t offset) const {
    const auto after = std::upper_bound(removed_.begin(), removed_.end(), offset,
                                        [](std::size_t o, const auto& r) { return o < r.first; });
    return after == removed_.begin() ? offset : offset + std::prev(after)->second;
  }

 private:
  static std::optional<std::uint32_t> unit(std::string_view text, std::size_t at) {
    if (text.size() < at + 6 || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
    std::uint32_t value = 0;
    const auto* end = text.data() + at + 6;
    const auto read = std::from_chars(text.data() + at + 2, end, value, 16);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return value;
  }

  void replace(std::string_view text) {
    std::size_t total = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto high = unit(text, at);
      const auto low = high ? unit(text, at + 6) : std::nullopt;
      if (low && *high >= 0xD800 && *high < 0xDC00 && *low >= 0xDC00 && *low < 0xE000) {
        const auto code = 0x10000 + ((*high - 0xD800) << 10U) + (*low - 0xDC00);
        for (const auto byte : {0xF0U | (code >> 18U), 0x80U | ((code >> 12U) & 0x3FU),
                                0x80U | ((code >> 6U) & 0x3FU), 0x80U | (code & 0x3FU)}) {
          text_ += static_cast<char>(static_cast<unsigned char>(byte));
        }
        at += 12;
        total += 8;
        removed_.emplace_back(text_.size(), total);
        continue;
      }
      const std::size_t step = text[at] == '\\' && at + 1 < text.size() ? 2 : 1;
      text_ += text.substr(at, step);
      at += step;
    }
  }

  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> removed_;  // from here on, so many bytes in all
};

// The index of the quote that closes the one at 0, or of the text's end.
std::size_t closing_quote(std::string_view text) {
  const char mark = text[0];
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (mark == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == mark) {
      // Two single quotes in a row are one in the value.
      if (mark == '"' || at + 1 == text.size() || text[at + 1] != mark) return at;
      ++at;
    }
  }
  return text.size();
}

class Builder final : public YAML::EventHandler {
 public:
  Builder(const Text& text, const JsonEscapes& escapes, Faults& faults)
      : text_(text), escapes_(escapes), faults_(faults) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ == 0) return;
    faults_.add(rule::several_documents, "the file holds more than one document",
                text_.place(offset_of(mark)), "keep one graph in each file");
    throw Stopped{};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.offset = offset(mark);
    const auto rest = text_.view().substr(node.offset);
    for (const std::string_view word : {"~", "null", "Null", "NULL"}) {
      if (rest.substr(0, word.size()) == word) node.length = length(word.size());
    }
    refuse_anchor(anchor, node.offset);
    add(std::move(node));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    Node node;
    node.offset = offset(mark);
    report_alias(node.offset);
    add(std::move(node));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node;
    node.kind = Node::Kind::scalar;
    node.offset = offset(mark);
    measure(node, value);
    refuse_tag(tag, node.offset);
    refuse_anchor(anchor, node.offset);
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Node::Kind::list, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Node::Kind::map, mark, tag, anchor, style);
  }
  void OnMapEnd() override {
    find_duplicates(open_.back().node);
    close();
  }

  Node take() { return std::move(root_); }
  std::size_t documents() const noexcept { return documents_; }
  // Where the innermost bracket that is still open stands.
  std::optional<std::size_t> open_bracket() const {
    if (open_.empty() || !open_.back().flow) return std::nullopt;
    return open_.back().node.offset;
  }
  std::size_t offset_of(const YAML::Mark& mark) const {
    return escapes_.original(static_cast<std::size_t>(std::max(0, mark.pos)));
  }
  void report_alias(std::size_t offset) {
    const auto rest = text_.view().substr(offset);
    faults_.add(rule::alias, "anchors and aliases are not part of the format",
                text_.place(offset, std::min(rest.find_first_of(" ,]}\r\n"), rest.size())),
                "write the value out, or use parameters and named types");
  }

 private:
  struct Open {
    Node node;
    bool flow = false;
  };

  static Node::Offset length(std::size_t bytes) { return static_cast<Node::Offset>(bytes); }
  Node::Offset offset(const YAML::Mark& mark) const { return length(offset_of(mark)); }

  // How long a scalar is in the text, and whether its value stands there as it is.
  void measure(Node& node, const std::string& value) {
    measure_length(node, value);
    const auto there =
        text_.view().substr(std::min<std::size_t>(node.text_offset, text_.view().size()));
    node.text =
        node.exact && there.starts_with(value) ? there.substr(0, value.size()) : text_.keep(value);
  }
  void measure_length(Node& node, const std::string& value) {
    const auto rest = text_.view().substr(std::min<std::size_t>(node.offset, text_.view().size()));
    node.text_offset = node.offset;
    if (rest.empty()) return;
    if (rest[0] != '"' && rest[0] != '\'') {
      node.exact = rest.substr(0, value.size()) == value;
      node.length = length(node.exact ? value.size() : std::min(rest.find('\n'), rest.size()));
      return;
    }
    const auto end = closing_quote(rest);
    if (end >= rest.size()) {
      faults_.add(rule::cut_off, "the text ends inside a quotation", text_.place(node.offset, 1),
                  "close it, or restore the part that is missing", "it begins here");
      throw Stopped{};
    }
    node.length = length(end + 1);
    node.exact = rest.substr(1, end - 1) == value;
    node.text_offset = node.offset + 1;
  }

  void refuse_tag(const std::string& tag, std::size_t offset) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    faults_.add(rule::tag, "tags are not part of the format", text_.place(offset, 1),
                "leave the tag out: what a value is follows from its key");
  }
  void refuse_anchor(YAML::anchor_t anchor, std::size_t offset) {
    if (anchor != 0) report_alias(offset);
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style) {
    Open opened;
    opened.node.kind = kind;
    opened.node.offset = offset(mark);
    opened.node.length = 1;
    opened.flow = style == YAML::EmitterStyle::Flow;
    refuse_tag(tag, opened.node.offset);
    refuse_anchor(anchor, opened.node.offset);
    if (open_.size() == deepest) {
      faults_.add(rule::too_deep, fmt::format("the text is nested more than {} deep", deepest),
                  text_.place(opened.node.offset, 1),
                  "no part of a graph needs more than 8 levels");
      throw Stopped{};
    }
    open_.push_back(std::move(opened));
  }

  void close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    if (!node.children.empty()) {
      const auto& last = node.children.back();
      node.length = std::max(node.length, last.offset + last.length - node.offset);
    }
    add(std::move(node));
  }

  void add(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    auto& parent = open_.back().node;
    const bool key = parent.is_map() && parent.children.size() % 2 == 0;
    if (key && !node.is_scalar()) {
      faults_.add(rule::bad_name,
                  fmt::format("a key is a name, and this is {}", describe(node.kind)),
                  node.place(text_), node.is_null() ? "put the name in quotes" : "");
    }
    parent.children.push_back(std::move(node));
  }

  void find_duplicates(const Node& map) {
    std::unordered_map<std::string_view, const Node*> seen;
    seen.reserve(map.children.size() / 2);
    for (std::size_t i = 0; i + 1 < map.children.size(); i += 2) {
      const auto& key = map.children[i];
      if (!key.is_scalar()) continue;
      const auto [first, fresh] = seen.emplace(key.text, &key);
      if (fresh) continue;
      faults_.add(rule::duplicate_key, fmt::format("the key {} is given twice", quote(key.text)),
                  key.place(text_), "keep one of the two, or rename one");
      faults_.also(first->second->place(text_), "first given here");
    }
  }

  const Text& text_;
  const JsonEscapes& escapes_;
  Faults& faults_;
  std::vector<Open> open_;
  Node root_;
  std::size_t documents_ = 0;
};

// What most often stands behind a syntax error at `at`.
std::string syntax_help(std::string_view text, std::size_t at, bool in_brackets) {
  const auto line_start = at == 0 ? 0 : text.rfind('\n', std::min(at, text.size()) - 1) + 1;
  const auto line = text.substr(line_start, text.find('\n', line_start) - line_start);
  const auto indent = line.substr(0, line.find_first_not_of(" \t"));
  if (!in_brackets && indent.find('\t') != std::string_view::npos) {
    return "indent with spaces: YAML allows no tabs there";
  }
  if (in_brackets) {
    for (auto open = line.find('['); open != std::string_view::npos;
         open = line.find('[', open + 1)) {
      const auto before = open == 0 ? open : line.find_last_not_of(' ', open - 1);
      if (before < open && std::isalnum(static_cast<unsigned char>(line[before])) != 0) {
        return "inside braces and brackets, an array needs quotes: \"float32[64]\"";
      }
    }
  }
  return {};
}

void report_syntax(const Text& text, const Builder& builder, const YAML::Exception& fault,
                   Faults& faults) {
  const auto whole = text.view();
  const auto last = whole.find_last_not_of(" \t\r\n");
  const auto end = last == std::string_view::npos ? 0 : last + 1;
  const auto at = builder.offset_of(fault.mark);
  const auto bracket = builder.open_bracket();
  if (fault.msg == YAML::ErrorMsg::EOF_IN_SCALAR) {
    faults.add(rule::cut_off, "the text ends inside a quotation", text.place(end),
               "close it, or restore the part that is missing");
    return;
  }
  if (at >= end && bracket) {
    faults.add(rule::cut_off,
               fmt::format("the text ends before this '{}' is closed", whole[*bracket]),
               text.place(*bracket, 1), "close it, or restore the part that is missing");
    faults.also(text.place(end), "the text ends here");
    return;
  }
  faults.add(rule::not_yaml, fmt::format("the text is not YAML: {}", fault.msg), text.place(at),
             syntax_help(whole, at, bracket.has_value()));
}

}  // namespace

std::string_view describe(Node::Kind kind) noexcept {
  switch (kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "a single value";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "";
}

std::optional<Node> read_document(const Text& text, Faults& faults) {
  auto plain = read_plain_document(text);
  return plain ? std::move(plain) : parse_document(text, faults);
}

std::optional<Node> parse_document(const Text& text, Faults& faults) {
  const JsonEscapes escapes(text.view());
  Builder builder(text, escapes, faults);
  std::istringstream stream(escapes.changed() ? escapes.text() : std::string(text.view()));
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stopped&) {
    return std::nullopt;
  } catch (const YAML::Exception& fault) {
    // An alias without its anchor stops the parser; it is still an alias.
    if (fault.msg.rfind(YAML::ErrorMsg::UNKNOWN_ANCHOR, 0) == 0) {  // later versions add its name
      builder.report_alias(builder.offset_of(fault.mark));
    } else {
      report_syntax(text, builder, fault, faults);
    }
    return std::nullopt;
  }
  if (builder.documents() == 0) {
    faults.add(rule::empty_file, "the file is empty", text.place(0),
               "a graph begins with `format: 1`; docs/format.md has the rest");
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace antiphon::io
