// `antiphon size FILE…`: how large the channels of graphs must be.
#pragma once

#include "cli/graph_input.hpp"
#include "cli/verb.hpp"

#include <antiphon/sizes.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace antiphon::cli {

class SizeVerb : public Verb {
 public:
  explicit SizeVerb(CLI::App& app);

  const CLI::App& app() const noexcept override { return verb_; }
  ExitCode run() override;

 private:
  CLI::App& verb_;
  GraphInput input_;
  std::string format_ = "text";
  SizesOptions options_;
  std::string throughput_;
};

}  // namespace antiphon::cli
