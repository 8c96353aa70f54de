// What the program's help lists, and what else is on this machine: for tests of what is made from
// the command line's declaration.
#pragma once

#include "cli/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace cli_tests {

inline bool is_here(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

// Words of `line`, one argument each.
inline std::vector<std::string> words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// The verbs that the help lists: "  check   Check graph files".
inline std::vector<std::string> verbs(const Folder& folder) {
  std::istringstream help(shell(folder, "antiphon --help").out);
  std::vector<std::string> result;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line.empty()) listed = false;
    if (listed) result.push_back(words(line).front());
    if (line == "Subcommands:") listed = true;
  }
  return result;
}

// The options that a help lists: "  -h,--help   Print…".
inline std::set<std::string> options(const std::string& help) {
  std::istringstream lines(help);
  std::set<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, 3, "  -") != 0) continue;
    auto names = words(line).front();
    std::replace(names.begin(), names.end(), ',', ' ');
    for (const auto& name : words(names)) result.insert(name);
  }
  return result;
}

}  // namespace cli_tests
