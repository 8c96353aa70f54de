// What the tests of graph files share.
#pragma once

#include "graph/model.hpp"

#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

template <>
struct doctest::StringMaker<std::vector<std::string>> {
  static String convert(const std::vector<std::string>& lines) {
    std::string text;
    for (const auto& line : lines) text += "\n  " + line;
    return text.c_str();
  }
};

namespace antiphon::io::test {

inline GraphModel read(std::string text, const LoadOptions& options = {},
                       std::string name = "test.yaml") {
  try {
    return parse_graph(std::move(text), std::move(name), options).model();
  } catch (const UnreadableGraph& fault) {
    FAIL(std::string(fault.what()));
    throw;
  }
}

// The head that every graph needs, before `rest`.
inline std::string graph(const std::string& rest) {
  return "format: 1\ngraph: g\n" + rest;
}

inline Report report_of(std::string text, const LoadOptions& options = {},
                        std::string name = "test.yaml") {
  try {
    parse_graph(std::move(text), std::move(name), options);
  } catch (const UnreadableGraph& fault) {
    return fault.report();
  }
  return {};
}

// "LINE:COLUMN code: message" of each fault.
inline std::vector<std::string> faults(std::string text, const LoadOptions& options = {},
                                       std::string name = "test.yaml") {
  std::vector<std::string> found;
  for (const auto& one : report_of(std::move(text), options, std::move(name)).diagnostics) {
    std::string line;
    if (!one.marks.empty() && one.marks[0].place.known()) {
      line = std::to_string(one.marks[0].place.line);
      line += ':';
      line += std::to_string(one.marks[0].place.column);
      line += ' ';
    }
    line += one.code;
    line += ": ";
    line += one.message;
    found.push_back(std::move(line));
  }
  return found;
}

inline std::string at(const Place& place) {
  std::string text = std::to_string(place.line);
  text += ':';
  text += std::to_string(place.column);
  text += '+';
  return text + std::to_string(place.length);
}

}  // namespace antiphon::io::test
