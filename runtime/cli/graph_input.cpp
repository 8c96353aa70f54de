#include "cli/graph_input.hpp"

#include <antiphon/diagnostic.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace antiphon::cli {

namespace {

struct Input {
  std::string text;
  int error = 0;
};

Input read_stdin() {
  Input input;
  char buffer[1 << 16];
  for (;;) {
    const auto got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got > 0) {
      input.text.append(buffer, static_cast<std::size_t>(got));
      if (input.text.size() > largest_graph_file) return input;  // it is refused for that
    } else if (got == 0) {
      return input;
    } else if (errno != EINTR) {
      input.error = errno;
      return input;
    }
  }
}

Report failed_to_read(std::string name, std::string message) {
  Report report;
  report.graph = std::move(name);
  report.verdict = Verdict::unreadable;
  Diagnostic diagnostic;
  diagnostic.code = "unreadable-file";
  diagnostic.message = std::move(message);
  report.diagnostics.push_back(std::move(diagnostic));
  return report;
}

}  // namespace

GraphInput::GraphInput(CLI::App& verb, const std::string& only) {
  if (only.empty()) {
    verb.add_option("FILE", files_, "Graphs as YAML, JSON or SDF3 XML; - is the standard input")
        ->required();
  } else {
    verb.add_option_function<std::string>(
            only, [this](const std::string& file) { files_ = {file}; },
            "A graph as YAML, JSON or SDF3 XML; - is the standard input")
        ->required();
  }
  verb.add_option("-D", definitions_,
                  "Value for one of the graph's parameters; of several for one the last counts")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

std::string GraphInput::fault() {
  if (std::count(files_.begin(), files_.end(), "-") > 1) {
    return "the standard input can be read once, and - stands here twice";
  }
  for (const auto& definition : definitions_) {
    const auto equals = definition.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return "-D " + definition + ": has no " + (equals == 0 ? "name" : "'='") +
             ", needs NAME=VALUE";
    }
    load_.parameters[definition.substr(0, equals)] = definition.substr(equals + 1);
  }
  return {};
}

Graph GraphInput::load(const std::string& file) const {
  if (file != "-") return load_graph(file, load_);
  auto input = read_stdin();
  if (input.error != 0) {
    throw UnreadableGraph(failed_to_read(
        "<stdin>",
        std::string("the standard input cannot be read: ") + std::strerror(input.error)));
  }
  return parse_graph(std::move(input.text), "<stdin>", load_);
}

Graph GraphInput::parse(std::string text, const std::string& file) const {
  return parse_graph(std::move(text), file, load_);
}

}  // namespace antiphon::cli
