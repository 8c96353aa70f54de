// Graphs as files: YAML, JSON and SDF3 XML are read and written. docs/format.md has the format.
#pragma once

#include <antiphon/diagnostic.hpp>
#include <antiphon/graph.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace antiphon {

// More text than this is no graph.
inline constexpr std::size_t largest_graph_file = std::size_t{256} << 20U;  // bytes

struct LoadOptions {
  // Values for the graph's `parameters`, as on a command line: {"width", "1920"}.
  std::map<std::string, std::string> parameters;
};

// A file that could not be read as a graph. what() is the whole report as text.
class UnreadableGraph : public Error {
 public:
  explicit UnreadableGraph(Report report);
  const Report& report() const noexcept { return report_; }

 private:
  Report report_;
};

// Throws UnreadableGraph with every fault of the text that was found, each with its place. Kernel
// files that the graph names are looked for beside the graph file when a plan is made. A file has
// at most 256 MiB. Any thread, as for all of this header.
Graph load_graph(const std::filesystem::path& file, const LoadOptions& options = {});
// The same from memory; `name` stands for the file in messages.
Graph parse_graph(std::string text, std::string name, const LoadOptions& options = {});

// The graph as YAML that load_graph reads back as the same graph (functions have no text: those
// actors are to be bound again). Throws Error{misuse} when a name in it can't be printed.
std::string write_graph(const Graph& graph);
// The same as JSON.
std::string write_json(const Graph& graph);

struct Sdf3Text {
  std::string text;
  std::vector<Diagnostic> lost;  // warnings: what SDF3 has no words for, each kind of thing once
};
// The graph as SDF3 XML, with the same verdict and the same repetition vector. Throws Error{misuse}
// as write_graph does, and where a channel starts with more messages than it holds.
Sdf3Text write_sdf3(const Graph& graph);

}  // namespace antiphon
