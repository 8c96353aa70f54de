// `antiphon explain CODE`: what a finding means.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

class ExplainVerb : public Verb {
 public:
  explicit ExplainVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  std::vector<std::string> words_for(const CLI::Option& option) const override;
  ExitCode run() override;

 private:
  CLI::App& verb_;
  std::string code_;
  bool markdown_ = false;
};

}  // namespace antiphon::cli
