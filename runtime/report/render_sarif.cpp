// Reports in the format that code hosts read (SARIF 2.1.0, OASIS 2020).
#include "report/json.hpp"

#include <antiphon/render.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace antiphon {

namespace {

using report::Json;

const char* level(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

// Percent-encoded where a URI needs it (RFC 3986); a path stays relative if it was.
std::string uri(std::string_view path) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      result += c;
    } else {
      result += '%';
      result += hex[byte >> 4U];
      result += hex[byte & 15U];
    }
  }
  return result;
}

// Columns count code points there, and bytes here.
std::uint32_t code_points(const Place& place, std::uint32_t column) {
  std::string_view text = place.source->text;
  for (std::uint32_t line = 1; line < place.line; ++line) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return column;
    text.remove_prefix(end + 1);
  }
  std::uint32_t count = 1;
  for (std::size_t i = 0; i + 1 < column && i < text.size() && text[i] != '\n'; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

Json location(const Mark& mark) {
  Json json = Json::object();
  if (mark.place.known()) {
    Json region{{"startLine", mark.place.line},
                {"startColumn", code_points(mark.place, mark.place.column)}};
    if (mark.place.length > 0) {
      region["endColumn"] = code_points(mark.place, mark.place.column + mark.place.length);
    }
    json["physicalLocation"] = Json{{"artifactLocation", {{"uri", uri(mark.place.source->name)}}},
                                    {"region", std::move(region)}};
  }
  if (!mark.subject.empty()) {
    json["logicalLocations"] = Json::array({Json{{"fullyQualifiedName", mark.subject}}});
  }
  if (!mark.label.empty()) json["message"] = Json{{"text", mark.label}};
  return json;
}

}  // namespace

std::string render_sarif(const std::vector<Report>& reports) {
  Json known = Json::array();
  std::map<std::string_view, std::size_t> index;
  for (const auto& rule : rules()) {
    index.emplace(rule.code, known.size());
    known.push_back(Json{{"id", rule.code},
                         {"shortDescription", {{"text", rule.summary}}},
                         {"fullDescription", {{"text", rule.explanation}}},
                         {"defaultConfiguration", {{"level", level(rule.severity)}}}});
  }
  Json results = Json::array();
  for (const auto& found : reports) {
    for (const auto& d : found.diagnostics) {
      std::string text = d.message;
      for (const auto& note : d.notes) text += "\n" + note;
      if (!d.help.empty()) text += "\nhelp: " + d.help;
      Json result{{"ruleId", d.code}, {"level", level(d.severity)}, {"message", {{"text", text}}}};
      if (const auto rule = index.find(d.code); rule != index.end()) {
        result["ruleIndex"] = rule->second;
      }
      Json first = Json::array();
      Json related = Json::array();
      for (const auto& mark : d.marks) (first.empty() ? first : related).push_back(location(mark));
      result["locations"] = std::move(first);
      if (!related.empty()) result["relatedLocations"] = std::move(related);
      if (!d.allowed.empty()) {
        result["suppressions"] =
            Json::array({Json{{"kind", "inSource"}, {"justification", d.allowed}}});
      }
      results.push_back(std::move(result));
    }
  }
  return report::dump(
      Json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
           {"version", "2.1.0"},
           {"runs", Json::array({Json{
                        {"tool", {{"driver", {{"name", "antiphon"}, {"rules", std::move(known)}}}}},
                        {"columnKind", "unicodeCodePoints"},
                        {"results", std::move(results)}}})}});
}

}  // namespace antiphon
