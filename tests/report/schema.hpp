// Holds JSON against a schema, as far as docs/report.schema.json uses the words of JSON Schema; any
// other word is a fault, so that none is passed over.
#pragma once

#include <nlohmann/json.hpp>

#include <regex>
#include <set>
#include <string>

class Schema {
 public:
  explicit Schema(nlohmann::json root) : root_(std::move(root)) {}

  // Where and how `value` is not as the schema says; empty: it is.
  std::string fault(const nlohmann::json& value) const { return fault(value, root_, "$"); }

 private:
  using Json = nlohmann::json;

  static bool is_a(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    return false;
  }

  std::string fault(const Json& value, const Json& schema, const std::string& where) const {
    static const std::set<std::string> known{
        "$schema", "$defs",    "$ref",       "title", "description",          "anyOf",  "type",
        "enum",    "required", "properties", "items", "additionalProperties", "pattern"};
    for (const auto& [word, unused] : schema.items()) {
      (void)unused;
      if (known.count(word) == 0) return where + ": the schema says " + word;
    }
    if (schema.contains("$ref")) {
      const auto name = schema["$ref"].get<std::string>();
      return fault(value, root_.at(Json::json_pointer(name.substr(1))), where);
    }
    if (schema.contains("anyOf")) {
      std::string last;
      for (const auto& one : schema["anyOf"]) {
        last = fault(value, one, where);
        if (last.empty()) return {};
      }
      return last;
    }
    if (schema.contains("type")) {
      const auto& type = schema["type"];
      bool fits = false;
      for (const auto& one : type.is_array() ? type : Json::array({type})) {
        fits = fits || is_a(value, one.get<std::string>());
      }
      if (!fits) return where + ": is no " + type.dump();
    }
    if (schema.contains("enum")) {
      bool found = false;
      for (const auto& one : schema["enum"]) found = found || one == value;
      if (!found) return where + ": is none of " + schema["enum"].dump();
    }
    if (schema.contains("pattern") && value.is_string() &&
        !std::regex_search(value.get<std::string>(),
                           std::regex(schema["pattern"].get<std::string>()))) {
      return where + ": is not like " + schema["pattern"].dump();
    }
    if (value.is_array() && schema.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        auto found = fault(value[i], schema["items"], where + "[" + std::to_string(i) + "]");
        if (!found.empty()) return found;
      }
    }
    if (!value.is_object()) return {};
    if (schema.contains("required")) {
      for (const auto& key : schema["required"]) {
        if (!value.contains(key.get<std::string>())) return where + ": has no " + key.dump();
      }
    }
    for (const auto& [key, part] : value.items()) {
      const auto inside = where + "." + key;
      if (schema.contains("properties") && schema["properties"].contains(key)) {
        auto found = fault(part, schema["properties"][key], inside);
        if (!found.empty()) return found;
      } else if (schema.contains("additionalProperties")) {
        const auto& others = schema["additionalProperties"];
        if (others.is_boolean()) {
          if (!others.get<bool>()) return inside + ": is not in the schema";
        } else if (auto found = fault(part, others, inside); !found.empty()) {
          return found;
        }
      }
    }
    return {};
  }

  Json root_;
};
