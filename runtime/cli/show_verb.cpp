#include "cli/show_verb.hpp"

#include "cli/output.hpp"

#include <antiphon/check.hpp>
#include <antiphon/draw.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace antiphon::cli {

ShowVerb::ShowVerb(CLI::App& app)
    : verb_(*app.add_subcommand("show", "Show graphs: as a picture for Graphviz, or as YAML")),
      input_(verb_) {
  verb_.add_option("--format", format_, "dot, with what is wrong in red; or yaml")
      ->check(CLI::IsMember({"dot", "yaml"}))
      ->capture_default_str();
  verb_.footer(
      "Exit codes: 0; 2 where a file could not be read. Whether a graph is valid is for "
      "`check`.\n\n"
      "Examples:\n  antiphon show blur.yaml | dot -Tsvg > blur.svg\n"
      "  antiphon show --format yaml h263.xml > h263.yaml");
}

ExitCode ShowVerb::run() {
  if (const auto fault = input_.fault(); !fault.empty()) {
    std::fprintf(stderr, "antiphon show: %s\n", fault.c_str());
    return wrong_call;
  }
  Output output("show", false, input_.files().size());
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    try {
      const auto graph = input_.load(file);
      output.part(format_ == "yaml" ? write_graph(graph) : to_dot(graph, check(graph)));
    } catch (const UnreadableGraph& error) {
      std::fputs(error.what(), stderr);
      code = wrong_call;
    }
  }
  return output.finish(code);
}

}  // namespace antiphon::cli
