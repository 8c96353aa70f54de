// `antiphon check FILE…`: reads graphs, checks them, prints what was found.
#pragma once

#include "cli/graph_input.hpp"
#include "cli/verb.hpp"

#include <antiphon/check.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class CheckVerb : public Verb {
 public:
  explicit CheckVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  bool fix_file(const std::string& file, Report& report) const;

  CLI::App& verb_;
  GraphInput input_;
  std::string format_ = "text";
  std::string color_ = "auto";
  bool all_ = false;
  bool fix_ = false;
  bool no_kernels_ = false;
  std::string device_;
  CheckOptions options_;
};

}  // namespace antiphon::cli
