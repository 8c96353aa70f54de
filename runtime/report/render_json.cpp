// Reports for a program. docs/report.md describes the format.
#include "report/json.hpp"

#include <antiphon/render.hpp>

#include <string>

namespace antiphon {

namespace {

using report::Json;

const char* word(Severity severity) {
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

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::valid:
      return "valid";
    case Verdict::invalid:
      return "invalid";
    case Verdict::undecided:
      return "undecided";
    case Verdict::unreadable:
      return "unreadable";
  }
  return "invalid";
}

Json to_json(const Mark& mark) {
  Json json = Json::object();
  if (mark.place.known()) {
    json["file"] = mark.place.source->name;
    json["line"] = mark.place.line;
    json["column"] = mark.place.column;
    json["length"] = mark.place.length;
  } else {
    for (const char* key : {"file", "line", "column", "length"}) json[key] = nullptr;
  }
  json["subject"] = mark.subject;
  json["label"] = mark.label;
  return json;
}

const char* repair_of(Repair::Of of) {
  switch (of) {
    case Repair::Of::capacity:
      return "capacity";
    case Repair::Of::initial:
      return "initial";
    case Repair::Of::rate:
      return "rate";
  }
  return "capacity";
}

Json to_json(const Diagnostic& diagnostic) {
  Json marks = Json::array();
  for (const auto& mark : diagnostic.marks) marks.push_back(to_json(mark));
  Json repairs = Json::array();
  for (const auto& repair : diagnostic.repairs) {
    repairs.push_back(Json{{"of", repair_of(repair.of)},
                           {"channel", repair.channel},
                           {"from", repair.from},
                           {"to", repair.to}});
  }
  return Json{{"code", diagnostic.code},
              {"severity", word(diagnostic.severity)},
              {"message", diagnostic.message},
              {"marks", std::move(marks)},
              {"notes", diagnostic.notes},
              {"help", diagnostic.help},
              {"repairs", std::move(repairs)},
              {"subjects", diagnostic.subjects},
              {"allowed", diagnostic.allowed.empty() ? Json(nullptr) : Json(diagnostic.allowed)}};
}

}  // namespace

std::string render_json(const Report& found) {
  Json diagnostics = Json::array();
  for (const auto& d : found.diagnostics) diagnostics.push_back(to_json(d));
  Json actors = Json::array();
  for (const auto& a : found.actors) {
    actors.push_back(
        Json{{"name", a.name}, {"repetitions", a.repetitions}, {"firings", a.firings}});
  }
  Json channels = Json::array();
  for (const auto& c : found.channels) {
    channels.push_back(Json{{"name", c.name}, {"capacity", c.capacity}, {"chosen", c.chosen}});
  }
  const Json json{{"graph", found.graph},
                  {"verdict", word(found.verdict)},
                  {"diagnostics", std::move(diagnostics)},
                  {"actors", std::move(actors)},
                  {"channels", std::move(channels)},
                  {"memory", Json{{"host", found.memory.host},
                                  {"both", found.memory.both},
                                  {"device", found.memory.device}}},
                  {"device", found.device.empty() ? Json(nullptr) : Json(found.device)}};
  return report::dump(json);
}

}  // namespace antiphon
