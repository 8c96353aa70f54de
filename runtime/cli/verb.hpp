// What the program can do: each verb adds itself to the command line, which fills it in.
#pragma once

#include "cli/exit_code.hpp"

#include <CLI/CLI.hpp>

namespace antiphon::cli {

class Verb {
 public:
  Verb() = default;
  virtual ~Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  virtual const CLI::App& app() const noexcept = 0;
  // After parsing.
  virtual ExitCode run() = 0;
};

}  // namespace antiphon::cli
