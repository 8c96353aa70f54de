#include "cli/convert_verb.hpp"

#include "cli/new_file.hpp"
#include "cli/output.hpp"
#include "graph/model.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace antiphon::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view footer =
    R"(Unless --to says the format, the ending of OUT does: .yaml or .yml, .json, .xml. Of YAML, comments, x- keys
and parameters are not kept: numbers are what they came to. What SDF3 has no words for is told as a warning;
docs/format.md says what becomes of it. An existing file is replaced only where --force allows it, and only
once the new one is whole.

Exit codes: 0; 2 where the file could not be read, converted or written, or the call is wrong. Whether the
graph is valid is for `check`.

Examples:
  antiphon convert h263.xml h263.yaml
  antiphon convert blur.yaml --to sdf3 > blur.xml
  generate | antiphon convert - graph.json --force)";

// By the file's ending; empty: that says nothing.
std::string format_of(const std::string& file) {
  const auto ending = fs::path(file).extension().string();
  if (ending == ".yaml" || ending == ".yml") return "yaml";
  if (ending == ".json") return "json";
  if (ending == ".xml") return "sdf3";
  return {};
}

std::string text_of(const std::vector<Diagnostic>& diagnostics) {
  Report report;
  report.diagnostics = diagnostics;
  return render_text(report, {.verdict = false});
}

// What would no longer be wrong with the graph as SDF3: all but rates that do not fit, and
// deadlocks.
std::vector<Diagnostic> faults_that_get_lost(const Graph& graph) {
  // What it is held to is told as a loss of its own.
  auto model = graph.model();
  model.require = {};
  model.allow.clear();
  auto found = check(Graph(std::move(model)), {.budget = 0, .kernels = false}).diagnostics;
  std::erase_if(found, [](const Diagnostic& d) {
    return d.severity != Severity::error || d.code.starts_with("deadlock-") ||
           d.code == "inconsistent-rates" || d.code == "one-sided-rate" ||
           d.code == "repetitions-too-large";
  });
  return found;
}

// Kernels are named from where the graph's file lies. What to say where that changes; empty:
// nothing.
std::string kernels_left_behind(const Graph& graph, const std::string& in, const std::string& out) {
  const auto folder = [](const std::string& file) {
    std::error_code none;
    const auto path = file == "-" ? fs::current_path(none) : fs::absolute(file, none).parent_path();
    return fs::weakly_canonical(path, none);
  };
  std::vector<std::string> names;
  for (const auto& actor : graph.model().actors) {
    if (!actor.kernel_file.empty() && !fs::path(actor.kernel_file).is_absolute()) {
      names.push_back(actor.kernel_file);
    }
  }
  if (names.empty() || folder(in) == folder(out)) return {};
  return "warning: the kernel '" + names.front() + "'" +
         (names.size() == 1 ? " is" : " and " + std::to_string(names.size() - 1) + " more are") +
         " looked for beside the graph, which lies in another folder now";
}

}  // namespace

ConvertVerb::ConvertVerb(CLI::App& app)
    : verb_(*app.add_subcommand("convert", "Write a graph in another format")),
      input_(verb_, "IN") {
  verb_.add_option("OUT", out_, "The file to write; unless said, or -, the standard output");
  verb_.add_option("--to", to_, "The format: yaml, json or sdf3 (XML)")
      ->check(CLI::IsMember({"yaml", "json", "sdf3"}));
  verb_.add_flag("--force", force_, "Replace OUT where it is there already");
  verb_.footer(std::string(footer));
}

ExitCode ConvertVerb::run() {
  const auto fail = [](const std::string& why) {
    std::fprintf(stderr, "antiphon convert: %s\n", why.c_str());
    return wrong_call;
  };
  if (const auto fault = input_.fault(); !fault.empty()) return fail(fault);
  const bool to_file = out_ != "-";
  const auto format = to_.empty() && to_file ? format_of(out_) : to_;
  if (format.empty()) {
    return fail((to_file ? "the ending of '" + out_ + "' says no format"
                         : std::string("the format is not said")) +
                ": add --to yaml, --to json or --to sdf3");
  }
  if (to_file) {
    if (const auto fault = fault_of_new_file(out_, force_); !fault.empty()) return fail(fault);
  }
  const auto& in = input_.files().front();
  std::string text;
  try {
    const auto graph = input_.load(in);
    if (format == "sdf3") {
      if (const auto faults = faults_that_get_lost(graph); !faults.empty()) {
        std::fputs(text_of(faults).c_str(), stderr);
        return fail(
            "as SDF3 the graph would no longer say what is wrong with it; yaml and json "
            "can hold it");
      }
      auto written = write_sdf3(graph);
      std::fputs(text_of(written.lost).c_str(), stderr);
      text = std::move(written.text);
    } else {
      text = format == "json" ? write_json(graph) : write_graph(graph);
      if (to_file) {
        if (const auto warning = kernels_left_behind(graph, in, out_); !warning.empty()) {
          std::fprintf(stderr, "antiphon convert: %s\n", warning.c_str());
        }
      }
    }
  } catch (const UnreadableGraph& error) {
    std::fputs(error.what(), stderr);
    return wrong_call;
  }
  if (to_file) {
    const auto fault = write_new_file(out_, text, force_);
    return fault.empty() ? all_valid : fail(fault);
  }
  Output output("convert", false, 1);
  output.part(std::move(text));
  return output.finish(all_valid);
}

}  // namespace antiphon::cli
