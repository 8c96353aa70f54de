#include "cli/check_verb.hpp"

#include <antiphon/render.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(Exit codes:
  0  all graphs are valid
  1  a graph is invalid
  2  a file could not be read, or the call is wrong
  3  a graph is undecided: the budget ran out
Of several files the weightiest counts: 2 over 1 over 3 over 0.

Examples:
  antiphon check blur.yaml
  antiphon check blur.yaml -D width=1920 -D height=1080
  antiphon check --format json a.yaml b.xml > report.json
  generate | antiphon check -)";

// A closed pipe or a full disk ends the output; the exit code still says what was found.
bool print(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

// https://no-color.org: a program that colours its output leaves it when NO_COLOR is set.
bool colors(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

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

CheckVerb::CheckVerb(CLI::App& app) {
  auto* verb = app.add_subcommand(
      "check", "Check graph files: structure, rates, and whether they can ever stop");
  verb->add_option("FILE", files_, "Graphs as YAML, JSON or SDF3 XML; - is the standard input")
      ->required();
  verb->add_option("-D", definitions_,
                   "Value for one of the graph's parameters; of several for one the last counts")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
  verb->add_option("--format", format_, "text, or json as docs/report.md describes")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  verb->add_option("--budget", options_.budget,
                   "Steps of search before a graph counts as undecided")
      ->check(CLI::Range(std::int64_t{0}, INT64_MAX))
      ->type_name("STEPS")
      ->capture_default_str();
  verb->add_option("--color", color_, "Colours: auto (on a terminal), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  verb->footer(std::string(footer));
}

CheckVerb::Result CheckVerb::check_file(const std::string& file, const LoadOptions& load) const {
  std::optional<Graph> graph;
  try {
    if (file == "-") {
      auto input = read_stdin();
      if (input.error != 0) {
        return {failed_to_read("<stdin>", std::string("the standard input cannot be read: ") +
                                              std::strerror(input.error)),
                wrong_call};
      }
      graph = parse_graph(std::move(input.text), "<stdin>", load);
    } else {
      graph = load_graph(file, load);
    }
  } catch (const UnreadableGraph& error) {
    return {error.report(), wrong_call};
  }
  auto report = check(*graph, options_);
  const auto code = report.verdict == Verdict::valid     ? all_valid
                    : report.verdict == Verdict::invalid ? some_invalid
                                                         : undecided;
  return {std::move(report), code};
}

ExitCode CheckVerb::run() const {
  if (std::count(files_.begin(), files_.end(), "-") > 1) {
    std::fputs("antiphon check: the standard input can be read once, and - stands here twice\n",
               stderr);
    return wrong_call;
  }
  LoadOptions load;
  for (const auto& definition : definitions_) {
    const auto equals = definition.find('=');
    const auto wrong = [&](const char* why) {
      std::fprintf(stderr, "antiphon check: -D %s: %s, needs NAME=VALUE\n", definition.c_str(),
                   why);
      return wrong_call;
    };
    if (equals == std::string::npos) return wrong("has no '='");
    if (equals == 0) return wrong("has no name");
    load.parameters[definition.substr(0, equals)] = definition.substr(equals + 1);
  }

  const bool json = format_ == "json";
  const bool array = json && files_.size() > 1;
  const TextOptions text{.color = colors(color_)};
  auto code = all_valid;
  bool printed = true;
  if (array) printed = print("[\n");
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const auto result = check_file(files_[i], load);
    code = weightier(code, result.code);
    if (!printed) continue;
    if (json) {
      auto object = render_json(result.report);
      if (array && i + 1 < files_.size()) {
        if (!object.empty() && object.back() == '\n') object.pop_back();
        object += ",\n";
      }
      printed = print(object);
    } else {
      printed = print((i > 0 ? "\n" : "") + render_text(result.report, text));
    }
  }
  if (array) printed = printed && print("]\n");
  if (std::fflush(stdout) != 0 || !printed) {
    if (errno == EPIPE) return code;
    std::fprintf(stderr, "antiphon check: the output could not be written: %s\n",
                 std::strerror(errno));
    return weightier(code, wrong_call);
  }
  return code;
}

}  // namespace antiphon::cli
