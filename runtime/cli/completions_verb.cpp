#include "cli/completions_verb.hpp"

#include "cli/declaration.hpp"
#include "cli/output.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace antiphon::cli {

namespace {

constexpr std::string_view footer =
    R"(`cmake --install` puts all three where the shells look for them. Without that:

Examples:
  source <(antiphon completions bash)
  antiphon completions zsh > ~/.zfunc/_antiphon
  antiphon completions fish > ~/.config/fish/completions/antiphon.fish)";

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// In single quotes, in which only they themselves mean something.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// --- bash ----------------------------------------------------------------------------------------

// What may stand after `verb`, as lines of a case.
std::string bash_verb(const DeclaredVerb& verb) {
  std::vector<std::string> flags;
  std::vector<std::string> words;  // of positionals
  bool files = false;
  std::string after_flags;
  for (const auto& option : verb.options) {
    if (option.positional()) {
      words.insert(words.end(), option.words.begin(), option.words.end());
      files = files || option.takes_files;
      continue;
    }
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
    if (option.value.empty()) continue;
    after_flags += "    " + joined(option.flags, "|") + ") ";
    if (option.takes_files) {
      after_flags += "files=1";
    } else if (!option.words.empty()) {
      after_flags += "words=" + in_quotes(joined(option.words, " "));
    } else {
      after_flags += "return";
    }
    after_flags += " ;;\n";
  }
  return "  " + verb.name + ")\n    case $prev in\n" + after_flags +
         "    *)\n      if [[ $cur == -* ]]; then words=" + in_quotes(joined(flags, " ")) + "\n" +
         "      else words=" + in_quotes(joined(words, " ")) + (files ? " files=1" : "") +
         "; fi ;;\n    esac ;;\n";
}

std::string bash_script(const Declaration& declared) {
  std::vector<std::string> first;
  for (const auto& verb : declared.verbs) first.push_back(verb.name);
  for (const auto& option : declared.program.options) {
    first.insert(first.end(), option.flags.begin(), option.flags.end());
  }
  std::string script = R"(# Completion of `antiphon` in bash: `antiphon completions bash` made it.
_antiphon() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' words='' files=''
  COMPREPLY=()
  # `--option=value` comes as three words, and so does what follows -D.
  if [[ $cur == '=' || $prev == '=' ]]; then
    if [[ $cur == '=' ]]; then cur=''; else prev=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [[ $prev == -* ]] || return
  fi
  if ((COMP_CWORD > 1)); then verb=${COMP_WORDS[1]}; fi
  case $verb in
  '') words=)" + in_quotes(joined(first, " ")) +
                       " ;;\n";
  for (const auto& verb : declared.verbs) script += bash_verb(verb);
  return script + R"(  esac
  if [[ $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  fi
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
  fi
}
complete -F _antiphon antiphon
)";
}

// --- zsh -----------------------------------------------------------------------------------------

std::string zsh_action(const DeclaredOption& option) {
  if (option.takes_files) return "_files";
  return option.words.empty() ? " " : "(" + joined(option.words, " ") + ")";
}

// An argument of _arguments.
std::string zsh_option(const DeclaredOption& option, int position) {
  const auto value = option.value.empty()
                         ? std::string{}
                         : ":" + escaped(option.value, ":") + ":" + zsh_action(option);
  if (option.positional()) {
    if (option.repeats) return in_quotes("*" + value);
    return in_quotes(std::to_string(position) + (option.required ? "" : ":") + value);
  }
  const auto description = "[" + escaped(option.description, "[]:\\") + "]";
  std::string text;
  for (const auto& flag : option.flags) {
    if (!text.empty()) text += " \\\n      ";
    std::string spec;
    if (option.repeats) {
      spec = "*";
    } else if (option.flags.size() > 1) {
      spec = "(" + joined(option.flags, " ") + ")";
    }
    spec += flag;
    // The value may be a word of its own or not.
    if (!option.value.empty()) spec += flag.starts_with("--") ? "=" : "+";
    text += in_quotes(spec + description + value);
  }
  return text;
}

std::string zsh_arguments(const DeclaredVerb& verb) {
  std::string text = "_arguments";
  int position = 0;
  for (const auto& option : verb.options) {
    text += " \\\n      " + zsh_option(option, option.positional() ? ++position : 0);
  }
  return text;
}

std::string zsh_script(const Declaration& declared) {
  std::string script =
      "#compdef antiphon\n# Completion of `antiphon` in zsh: `antiphon completions zsh` made it.\n"
      "_antiphon() {\n"
      "  if ((CURRENT == 2)); then\n"
      "    local -a verbs=(\n";
  for (const auto& verb : declared.verbs) {
    script += "      " + in_quotes(escaped(verb.name, ":\\") + ":" + verb.description) + "\n";
  }
  script += "    )\n    _describe verb verbs\n    " + zsh_arguments(declared.program) +
            "\n    return\n  fi\n"
            "  local verb=$words[2]\n"
            "  shift words\n"
            "  ((CURRENT--))\n"
            "  case $verb in\n";
  for (const auto& verb : declared.verbs) {
    script += "  " + verb.name + ")\n    " + zsh_arguments(verb) + " ;;\n";
  }
  return script +
         "  esac\n}\n"
         "# As a file in fpath it is the function's body; sourced, it has to be made known.\n"
         "if [[ ${funcstack[1]} == _antiphon ]]; then\n  _antiphon \"$@\"\nelse\n"
         "  compdef _antiphon antiphon\nfi\n";
}

// --- fish ----------------------------------------------------------------------------------------

std::string fish_quoted(std::string_view text) {
  return "'" + escaped(text, "'\\") + "'";
}

std::string fish_option(const DeclaredOption& option, const std::string& when) {
  std::string line = "complete -c antiphon -n " + fish_quoted(when);
  for (const auto& flag : option.flags) {
    line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  }
  if (!option.positional() && !option.value.empty()) line += " -r";
  if (option.takes_files) {
    line += " -F";
  } else {
    line += " -f";
    if (!option.words.empty()) line += " -a " + fish_quoted(joined(option.words, " "));
  }
  // Beside each file it would only be in the way.
  if (!option.positional()) line += " -d " + fish_quoted(option.description);
  return line + "\n";
}

std::string fish_script(const Declaration& declared) {
  const std::string no_verb = "__fish_use_subcommand";
  std::string script =
      "# Completion of `antiphon` in fish: `antiphon completions fish` made it.\n"
      "complete -c antiphon -f\n";
  for (const auto& option : declared.program.options) script += fish_option(option, no_verb);
  for (const auto& verb : declared.verbs) {
    script += "complete -c antiphon -n " + fish_quoted(no_verb) + " -a " + verb.name + " -d " +
              fish_quoted(verb.description) + "\n";
  }
  for (const auto& verb : declared.verbs) {
    const auto when = "__fish_seen_subcommand_from " + verb.name;
    for (const auto& option : verb.options) script += fish_option(option, when);
  }
  return script;
}

}  // namespace

CompletionsVerb::CompletionsVerb(CLI::App& app, const std::vector<Verb*>& verbs)
    : program_(app),
      verb_(*app.add_subcommand("completions",
                                "Print what a shell needs to complete the command line")),
      verbs_(verbs) {
  verb_.add_option("SHELL", shell_, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  verb_.footer(std::string(footer));
}

ExitCode CompletionsVerb::run() {
  const auto declared = declaration_of(program_, {verbs_.begin(), verbs_.end()});
  Output output("completions", false, 1);
  output.part(shell_ == "bash"  ? bash_script(declared)
              : shell_ == "zsh" ? zsh_script(declared)
                                : fish_script(declared));
  return output.finish(all_valid);
}

}  // namespace antiphon::cli
