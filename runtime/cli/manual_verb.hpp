// `antiphon manual`: the manual page, as man and groff read it.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <vector>

namespace antiphon::cli {

class ManualVerb : public Verb {
 public:
  // All verbs that there are by the time it runs. Both are borrowed.
  ManualVerb(CLI::App& app, const std::vector<Verb*>& verbs);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& program_;
  CLI::App& verb_;
  const std::vector<Verb*>& verbs_;
};

}  // namespace antiphon::cli
