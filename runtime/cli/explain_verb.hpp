// `antiphon explain CODE`: what a finding means.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class ExplainVerb : public Verb {
 public:
  explicit ExplainVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  std::string code_;
  bool markdown_ = false;
};

}  // namespace antiphon::cli
