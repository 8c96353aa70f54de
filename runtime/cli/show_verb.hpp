// `antiphon show FILE…`: graphs as text, as pictures and as YAML.
#pragma once

#include "cli/graph_input.hpp"
#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class ShowVerb : public Verb {
 public:
  explicit ShowVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  GraphInput input_;
  std::string format_ = "auto";
};

}  // namespace antiphon::cli
