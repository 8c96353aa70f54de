// `antiphon bounds FILE…`: how fast graphs can be, and what limits them.
#pragma once

#include "cli/graph_input.hpp"
#include "cli/verb.hpp"

#include <antiphon/bounds.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace antiphon::cli {

class BoundsVerb : public Verb {
 public:
  explicit BoundsVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  GraphInput input_;
  std::string format_ = "text";
  bool all_ = false;
  BoundsOptions options_;
  bool latency_ = false;
  LatencyQuestion question_;
  std::optional<double> interval_;  // in the graph's unit
};

}  // namespace antiphon::cli
