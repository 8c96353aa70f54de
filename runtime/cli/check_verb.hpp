// `antiphon check FILE…`: reads graphs, checks them, prints what was found.
#pragma once

#include "cli/exit_code.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

class CheckVerb {
 public:
  // Adds the verb to the program, which fills this in when it parses.
  explicit CheckVerb(CLI::App& app);
  CheckVerb(const CheckVerb&) = delete;
  CheckVerb& operator=(const CheckVerb&) = delete;

  // After parsing.
  ExitCode run() const;

 private:
  struct Result {
    Report report;
    ExitCode code = all_valid;
  };
  Result check_file(const std::string& file, const LoadOptions& load) const;

  std::vector<std::string> files_;
  std::vector<std::string> definitions_;
  std::string format_ = "text";
  std::string color_ = "auto";
  CheckOptions options_;
};

}  // namespace antiphon::cli
