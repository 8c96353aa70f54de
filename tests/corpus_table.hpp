// The table of published graphs with known answers, where the checkout has them beside it.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace corpus {

using Row = std::map<std::string, std::string>;

inline std::filesystem::path folder() {
  return std::filesystem::path(ANTIPHON_SOURCE_DIR) / ".." / "shared" / "corpus" / "sdf";
}

inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');) result.push_back(cell);
  return result;
}

// Each row by the names of its columns; empty where there is no table.
inline std::vector<Row> rows() {
  std::ifstream table(folder() / "expected.tsv");
  std::string line;
  if (!std::getline(table, line)) return {};
  const auto head = cells(line);
  std::vector<Row> result;
  while (std::getline(table, line)) {
    const auto row = cells(line);
    auto& values = result.emplace_back();
    for (std::size_t i = 0; i < row.size() && i < head.size(); ++i) values[head[i]] = row[i];
  }
  return result;
}

}  // namespace corpus
