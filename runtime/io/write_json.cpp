// A graph as JSON: what its YAML says, in JSON's words.
#include "io/document.hpp"
#include "io/text.hpp"

#include <antiphon/graph_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace antiphon {

namespace {

using io::Node;

// Keys whose values are numbers where they look like ones; those of all others are texts.
constexpr std::array<std::string_view, 12> number_keys{
    "format", "rate",        "cost",  "initial",  "then",   "capacity",
    "groups", "concurrency", "align", "elements", "values", "constants"};

constexpr std::size_t widest = 100;

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20) {
      fmt::format_to(std::back_inserter(quoted), "\\u{:04x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) {
  std::size_t at = 0;
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto digits = [&] {
    const auto begin = at;
    while (next() >= '0' && next() <= '9') ++at;
    return at != begin;
  };
  if (next() == '-') ++at;
  if (next() == '0') {
    ++at;
  } else if (!digits()) {
    return false;
  }
  if (next() == '.') {
    ++at;
    if (!digits()) return false;
  }
  if (next() == 'e' || next() == 'E') {
    ++at;
    if (next() == '+' || next() == '-') ++at;
    if (!digits()) return false;
  }
  return at == text.size();
}

std::string scalar(const Node& node, std::string_view key) {
  const bool quoted = node.text_offset != node.offset;
  const bool number = std::find(number_keys.begin(), number_keys.end(), key) != number_keys.end();
  if (!quoted && number && is_json_number(node.text)) return std::string(node.text);
  if (!quoted && key == "blocking") return std::string(node.text);
  return json_string(node.text);
}

// Under which key the child at `i` of a node stands: of lists, and of the constants with their ids,
// that of the whole.
std::string_view key_within(const Node& node, std::size_t i, std::string_view key) {
  return node.is_map() && key != "constants" ? std::string_view(node.children[i].text) : key;
}

std::string on_one_line(const Node& node, std::string_view key) {
  if (node.is_null()) return "null";
  if (node.is_scalar()) return scalar(node, key);
  std::string text(1, node.is_map() ? '{' : '[');
  const std::size_t step = node.is_map() ? 2 : 1;
  for (std::size_t i = 0; i + step <= node.children.size(); i += step) {
    if (i != 0) text += ", ";
    if (node.is_map()) text += json_string(node.children[i].text) + ": ";
    text += on_one_line(node.children[i + step - 1], key_within(node, i, key));
  }
  return text + (node.is_map() ? '}' : ']');
}

// On one line where that is not too wide; the graph itself never is.
void append(std::string& out, const Node& node, std::string_view key, std::size_t indent) {
  // No element takes less than this, so that what is long is not written out to see that it is.
  const bool maybe_short = node.children.size() * 3 < widest;
  if (indent != 0 && maybe_short) {
    const auto line = on_one_line(node, key);
    if (indent + key.size() + line.size() <= widest) {
      out += line;
      return;
    }
  }
  if (node.children.empty()) {
    out += on_one_line(node, key);
    return;
  }
  out += node.is_map() ? "{\n" : "[\n";
  const std::size_t step = node.is_map() ? 2 : 1;
  for (std::size_t i = 0; i + step <= node.children.size(); i += step) {
    out.append(indent + 2, ' ');
    if (node.is_map()) out += json_string(node.children[i].text) + ": ";
    append(out, node.children[i + step - 1], key_within(node, i, key), indent + 2);
    out += i + 2 * step <= node.children.size() ? ",\n" : "\n";
  }
  out.append(indent, ' ');
  out += node.is_map() ? '}' : ']';
}

}  // namespace

// By way of the YAML, so that the two can never say different things.
std::string write_json(const Graph& graph) {
  const io::Text yaml(write_graph(graph), "<graph>");
  io::Faults faults;
  const auto document = io::read_document(yaml, faults);
  if (!document || faults.any()) {
    throw Error(ErrorKind::internal,
                fmt::format("the graph {} was written as YAML that cannot be read",
                            io::quote(graph.name())));
  }
  std::string out;
  append(out, *document, {}, 0);
  return out + '\n';
}

}  // namespace antiphon
