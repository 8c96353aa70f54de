// What the command line takes, as CLI11 was told: the one place from which completions and the
// manual page are made, so that a new verb or option is in them by itself.
#pragma once

#include "cli/verb.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace antiphon::cli {

struct DeclaredOption {
  std::vector<std::string> flags;  // "-h", "--help"; of a positional: empty
  std::string value;               // what it takes, "FILE", "NAME=VALUE"; empty: nothing
  std::vector<std::string> words;  // the values that there are; empty: any
  bool takes_files = false;
  bool required = false;
  bool repeats = false;
  std::string description;
  std::string by_default;

  bool positional() const noexcept { return flags.empty(); }
};

struct DeclaredVerb {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<DeclaredOption> options;  // positionals too, in order
};

struct Declaration {
  DeclaredVerb program;
  std::vector<DeclaredVerb> verbs;
};

Declaration declaration_of(const CLI::App& app, const std::vector<const Verb*>& verbs);

}  // namespace antiphon::cli
