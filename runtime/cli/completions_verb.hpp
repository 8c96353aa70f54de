// `antiphon completions SHELL`: what a shell needs to complete the program's command line.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

class CompletionsVerb : public Verb {
 public:
  // All verbs that there are by the time it runs. Both are borrowed.
  CompletionsVerb(CLI::App& app, const std::vector<Verb*>& verbs);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& program_;
  CLI::App& verb_;
  const std::vector<Verb*>& verbs_;
  std::string shell_;
};

}  // namespace antiphon::cli
