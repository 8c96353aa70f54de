// The program `antiphon`. Each verb is a file of its own; this one reads the command line and makes
// sure that whatever happens ends in a message and an exit code.
#include "cli/bounds_verb.hpp"
#include "cli/check_verb.hpp"
#include "cli/completions_verb.hpp"
#include "cli/convert_verb.hpp"
#include "cli/devices_verb.hpp"
#include "cli/exit_code.hpp"
#include "cli/explain_verb.hpp"
#include "cli/manual_verb.hpp"
#include "cli/show_verb.hpp"
#include "cli/size_verb.hpp"
#include "graph/similar_names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

namespace {

// The other end of a pipe may be closed early (`antiphon check … | head`): writes then fail, and
// that ends the output, not the program.
void ignore_closed_pipes() {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN);
#endif
}

int run(int argc, char** argv) {
  CLI::App app{"Checks graphs of CPU and GPU actors before they run.", "antiphon"};
  app.set_version_flag("--version", "antiphon " ANTIPHON_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Example:\n  antiphon check graph.yaml\n\nantiphon VERB --help says more about a verb.");
  antiphon::cli::CheckVerb check(app);
  antiphon::cli::BoundsVerb bounds(app);
  antiphon::cli::SizeVerb size(app);
  antiphon::cli::ShowVerb show(app);
  antiphon::cli::ConvertVerb convert(app);
  antiphon::cli::DevicesVerb devices(app);
  antiphon::cli::ExplainVerb explain(app);
  std::vector<antiphon::cli::Verb*> verbs{&check,   &bounds,  &size,   &show,
                                          &convert, &devices, &explain};
  antiphon::cli::CompletionsVerb completions(app, verbs);
  verbs.push_back(&completions);
  antiphon::cli::ManualVerb manual(app, verbs);
  verbs.push_back(&manual);

  if (argc > 1 && argv[1][0] != '-') {
    std::vector<std::string> names;
    for (const auto* verb : verbs) names.push_back(verb->app().get_name());
    if (std::find(names.begin(), names.end(), argv[1]) == names.end()) {
      auto meant = antiphon::nearest_names(argv[1], names);
      if (meant.empty()) meant = "antiphon --help lists the verbs";
      std::fprintf(stderr, "antiphon: no verb '%s'; %s\n", argv[1], meant.c_str());
      return antiphon::cli::wrong_call;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked_for_help = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    app.exit(error);  // prints what was asked for to stdout, a wrong call to stderr
    return asked_for_help && std::fflush(stdout) == 0 ? antiphon::cli::all_valid
                                                      : antiphon::cli::wrong_call;
  }
  for (auto* verb : verbs) {
    if (verb->app().parsed()) return verb->run();
  }
  return antiphon::cli::wrong_call;
}

}  // namespace

int main(int argc, char** argv) {
  ignore_closed_pipes();
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("antiphon: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "antiphon: %s\n", error.what());
  } catch (...) {
    std::fputs("antiphon: failed for an unknown reason\n", stderr);
  }
  return antiphon::cli::wrong_call;
}
