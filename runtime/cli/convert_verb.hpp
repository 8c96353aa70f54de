// `antiphon convert IN OUT`: graphs from any of the formats to any other.
#pragma once

#include "cli/graph_input.hpp"
#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class ConvertVerb : public Verb {
 public:
  explicit ConvertVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  GraphInput input_;
  std::string out_ = "-";
  std::string to_;
  bool force_ = false;
};

}  // namespace antiphon::cli
