// What a verb prints for each of its graphs: texts one after another, or one JSON value.
#pragma once

#include "cli/exit_code.hpp"

#include <cstddef>
#include <string>

namespace antiphon::cli {

// Colours where `when` (auto, always, never) and the terminal allow them.
bool colors(const std::string& when);
// Whether a person reads what is printed.
bool on_terminal();

class Output {
 public:
  // `parts` will come; several as JSON are an array.
  Output(const char* verb, bool json, std::size_t parts);

  void part(std::string text);
  // The exit code, or a weightier one where the output could not be written, which is said.
  ExitCode finish(ExitCode code);

 private:
  void print(const std::string& text);

  const char* verb_;
  bool json_;
  std::size_t parts_;
  std::size_t done_ = 0;
  bool printed_ = true;
};

}  // namespace antiphon::cli
