// The graphs that a verb is given: files, the standard input, and values for their parameters.
#pragma once

#include <antiphon/graph_file.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace antiphon::cli {

class GraphInput {
 public:
  // Adds FILE… and -D to the verb, which fills this in when it parses. With a name, it is one file
  // that goes by it.
  explicit GraphInput(CLI::App& verb, const std::string& only = {});
  GraphInput(const GraphInput&) = delete;
  GraphInput& operator=(const GraphInput&) = delete;

  const std::vector<std::string>& files() const noexcept { return files_; }
  // After parsing, once before all loads. What is wrong with the call; empty: nothing.
  std::string fault();
  // Throws UnreadableGraph. "-" is the standard input.
  Graph load(const std::string& file) const;
  // The same of what a file of that name would hold.
  Graph parse(std::string text, const std::string& file) const;

 private:
  std::vector<std::string> files_;
  std::vector<std::string> definitions_;
  LoadOptions load_;
};

}  // namespace antiphon::cli
