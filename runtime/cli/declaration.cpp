#include "cli/declaration.hpp"

#include <sstream>
#include <string_view>

namespace antiphon::cli {

namespace {

// CLI::IsMember says in the type what there is to choose from: "TEXT:{text,json}".
std::vector<std::string> words_in(const std::string& type) {
  std::vector<std::string> words;
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');) words.push_back(word);
  return words;
}

DeclaredOption declared(const CLI::Option& option, const Verb* verb) {
  DeclaredOption result;
  for (const auto& name : option.get_snames()) result.flags.push_back("-" + name);
  for (const auto& name : option.get_lnames()) result.flags.push_back("--" + name);
  const auto type = option.get_type_name();
  result.words = words_in(type);
  if (verb != nullptr && result.words.empty()) result.words = verb->words_for(option);
  if (result.positional()) {
    result.value = option.get_name(true);
  } else if (option.get_items_expected_max() > 0) {
    result.value = type.substr(0, type.find(':'));
  }
  const bool named_so = type.find("FILE") != std::string::npos;
  result.takes_files = result.words.empty() && (result.positional() || named_so);
  result.required = option.get_required();
  result.repeats = option.get_items_expected_max() > 1;
  result.description = option.get_description();
  result.by_default = option.get_default_str();
  return result;
}

DeclaredVerb declared(const CLI::App& app, const Verb* verb) {
  DeclaredVerb result{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const auto* option : app.get_options({})) {
    // CLI11's way to hide one from the help is to give it no group.
    if (!option->get_group().empty()) result.options.push_back(declared(*option, verb));
  }
  return result;
}

}  // namespace

Declaration declaration_of(const CLI::App& app, const std::vector<const Verb*>& verbs) {
  Declaration result;
  result.program = declared(app, nullptr);
  for (const auto* verb : verbs) result.verbs.push_back(declared(verb->app(), verb));
  return result;
}

}  // namespace antiphon::cli
