// `antiphon completions`, in the shells that are here.
#include "cli/help.hpp"
#include "cli/program.hpp"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace cli_tests;

namespace {

// What bash offers where the cursor is at the end of `line`; a line that ends in a space begins a
// new word. As readline does it, `=` is a word of its own.
std::set<std::string> offered(const Folder& folder, const std::string& line) {
  std::string spaced;
  for (const char c : line) spaced += c == '=' ? std::string(" = ") : std::string(1, c);
  auto typed = words(spaced);
  if (line.back() == ' ') typed.emplace_back();
  std::string array;
  for (const auto& word : typed) array += " '" + word + "'";
  folder.write("complete.sh",
               "set -u\nsource completions.bash\n"
               "function=$(complete -p antiphon | sed 's/.*-F \\([^ ]*\\) antiphon/\\1/')\n"
               "COMP_WORDS=(" +
                   array + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" +
                   "\"$function\" antiphon\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const auto ended = shell(folder, "bash --norc complete.sh");
  CAPTURE(line);
  CHECK(ended.code == 0);
  CHECK(ended.err.empty());
  std::set<std::string> result;
  std::istringstream lines(ended.out);
  for (std::string word; std::getline(lines, word);) {
    if (!word.empty()) result.insert(word);
  }
  return result;
}

std::string lines_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, part)) result += line + "\n";
  }
  return result;
}

using Words = std::set<std::string>;

}  // namespace

TEST_CASE("bash completes every verb and every option that the help lists") {
  const Folder folder;
  REQUIRE(is_here("bash"));
  CHECK(shell(folder, "antiphon completions bash > completions.bash").code == 0);
  const auto listed = verbs(folder);
  CHECK(listed.size() >= 7);
  const auto first = offered(folder, "antiphon ");
  for (const auto& verb : listed) {
    CAPTURE(verb);
    CHECK(first.count(verb) == 1);
    CHECK(offered(folder, "antiphon " + verb + " -") ==
          options(shell(folder, "antiphon " + verb + " --help").out));
  }
  for (const auto& option : options(shell(folder, "antiphon --help").out)) {
    CHECK(first.count(option) == 1);
  }
}

TEST_CASE("bash completes values, codes and files, each where they belong") {
  const Folder folder;
  CHECK(shell(folder, "antiphon completions bash > completions.bash").code == 0);
  folder.write("graph one.yaml", "");
  folder.write("graph.xml", "");
  fs::create_directory(folder.path() / "graphs");
  const Words graphs{"graph one.yaml", "graph.xml", "graphs"};
  CHECK(offered(folder, "antiphon ch") == Words{"check"});
  CHECK(offered(folder, "antiphon check gr") == graphs);
  CHECK(offered(folder, "antiphon check graph.xml gr") == graphs);
  CHECK(offered(folder, "antiphon check --format ") == Words{"text", "json", "sarif"});
  CHECK(offered(folder, "antiphon check --format=") == Words{"text", "json", "sarif"});
  CHECK(offered(folder, "antiphon check --format=js") == Words{"json"});
  CHECK(offered(folder, "antiphon check --format json gr") == graphs);
  CHECK(offered(folder, "antiphon check --format=json gr") == graphs);
  CHECK(offered(folder, "antiphon check --budget gr").empty());
  CHECK(offered(folder, "antiphon check -D gr").empty());
  CHECK(offered(folder, "antiphon check -D width=gr").empty());
  CHECK(offered(folder, "antiphon convert graph.xml gr") == graphs);
  CHECK(offered(folder, "antiphon convert --to s") == Words{"sdf3"});
  CHECK(offered(folder, "antiphon explain deadlock-c") == Words{"deadlock-capacity"});
  CHECK(offered(folder, "antiphon completions ") == Words{"bash", "zsh", "fish"});
  CHECK(offered(folder, "antiphon nothing ").empty());
}

TEST_CASE("the scripts for zsh and fish have every verb and option, and their shells take them") {
  const Folder folder;
  const auto zsh = shell(folder, "antiphon completions zsh > _antiphon; cat _antiphon").out;
  const auto fish =
      shell(folder, "antiphon completions fish > antiphon.fish; cat antiphon.fish").out;
  CHECK(zsh.compare(0, 18, "#compdef antiphon\n") == 0);
  for (const auto& verb : verbs(folder)) {
    CAPTURE(verb);
    const auto begin = zsh.find("\n  " + verb + ")\n");
    REQUIRE(begin != std::string::npos);
    const auto of_verb = zsh.substr(begin, zsh.find(";;\n", begin) - begin);
    CHECK(contains(fish, "'__fish_use_subcommand' -a " + verb + " -d '"));
    for (const auto& option : options(shell(folder, "antiphon " + verb + " --help").out)) {
      CAPTURE(option);
      CHECK((contains(of_verb, option + "[") || contains(of_verb, option + "=[") ||
             contains(of_verb, option + "+[")));
      const auto name = option.compare(0, 2, "--") == 0 ? " -l " + option.substr(2) + " "
                                                        : " -s " + option.substr(1) + " ";
      const auto mine = lines_with(fish, "'__fish_seen_subcommand_from " + verb + "'");
      CHECK(contains(mine, name));
    }
  }
  if (is_here("zsh")) {
    const auto ended = shell(folder, "zsh -f -n _antiphon");
    CHECK(ended.code == 0);
    CHECK(ended.err.empty());
  }
  if (is_here("fish")) {
    CHECK(shell(folder, "HOME=$PWD fish --no-config --no-execute antiphon.fish").code == 0);
    const auto ended = shell(folder,
                             "HOME=$PWD fish --no-config -c 'source antiphon.fish; complete -C "
                             "\"antiphon check --format js\"'");
    CHECK(ended.code == 0);
    CHECK(contains(ended.out, "json"));
  }
}

TEST_CASE("a shell that is not known is refused with those that are") {
  const Folder folder;
  const auto ended = shell(folder, "antiphon completions tcsh");
  CHECK(ended.code == 2);
  CHECK(ended.out.empty());
  CHECK(contains(ended.err, "{bash,zsh,fish}"));
  CHECK(shell(folder, "antiphon completions").code == 2);
}
