// What the program can do: each verb adds itself to the command line, which fills it in.
#pragma once

#include "cli/exit_code.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

class Verb {
 public:
  Verb() = default;
  virtual ~Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  virtual const CLI::App& app() const noexcept = 0;
  // Values to offer for an option whose declaration lists none; empty: it takes any.
  virtual std::vector<std::string> words_for(const CLI::Option&) const { return {}; }
  // After parsing.
  virtual ExitCode run() = 0;
};

}  // namespace antiphon::cli
