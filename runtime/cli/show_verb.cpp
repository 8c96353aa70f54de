#include "cli/show_verb.hpp"

#include "cli/graphviz.hpp"
#include "cli/output.hpp"

#include <antiphon/check.hpp>
#include <antiphon/draw.hpp>
#include <antiphon/graph_file.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(What is wrong is marked: with ! as text, in red in a picture. Whether a graph is valid is for `check`.

Exit codes: 0; 2 where a file could not be read or drawn, or the call is wrong.

Examples:
  antiphon show blur.yaml
  antiphon show --format svg blur.yaml > blur.svg
  antiphon show blur.yaml | dot -Tpng > blur.png
  antiphon show --format yaml h263.xml > h263.yaml)";

// Kernels are not drawn, so they are not read.
Report found(const Graph& graph) {
  return check(graph, {.kernels = false});
}

}  // namespace

ShowVerb::ShowVerb(CLI::App& app)
    : verb_(*app.add_subcommand("show", "Show graphs: as text, as a picture, or as YAML")),
      input_(verb_) {
  verb_
      .add_option("--format", format_,
                  "text; dot for Graphviz; svg, which Graphviz draws; yaml; auto: text on a "
                  "terminal, else dot")
      ->check(CLI::IsMember({"auto", "text", "dot", "svg", "yaml"}))
      ->capture_default_str();
  verb_.footer(std::string(footer));
}

ExitCode ShowVerb::run() {
  auto fault = input_.fault();
  if (fault.empty() && format_ == "svg" && input_.files().size() > 1) {
    fault = "an SVG file is one picture, and these are " + std::to_string(input_.files().size()) +
            " graphs: draw them one by one, or take --format dot";
  }
  if (!fault.empty()) {
    std::fprintf(stderr, "antiphon show: %s\n", fault.c_str());
    return wrong_call;
  }
  auto format = format_;
  if (format == "auto") format = isatty(STDOUT_FILENO) != 0 ? "text" : "dot";
  Output output("show", false, input_.files().size());
  auto code = all_valid;
  for (const auto& file : input_.files()) {
    try {
      const auto graph = input_.load(file);
      if (format == "yaml") {
        output.part(write_graph(graph));
      } else if (format == "text") {
        output.part(to_text(graph, found(graph), colors("auto")));
      } else if (format == "dot") {
        output.part(to_dot(graph, found(graph)));
      } else if (auto picture = svg_of(to_dot(graph, found(graph))); picture.fault.empty()) {
        output.part(std::move(picture.text));
      } else {
        std::fprintf(stderr, "antiphon show: %s\n", picture.fault.c_str());
        code = wrong_call;
      }
    } catch (const UnreadableGraph& error) {
      std::fputs(error.what(), stderr);
      code = wrong_call;
    }
  }
  return output.finish(code);
}

}  // namespace antiphon::cli
