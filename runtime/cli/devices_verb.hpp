// `antiphon devices`: what the devices here say of themselves.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class DevicesVerb : public Verb {
 public:
  explicit DevicesVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  std::string name_;
  bool json_ = false;
};

}  // namespace antiphon::cli
