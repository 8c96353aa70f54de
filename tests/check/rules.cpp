#include <antiphon/diagnostic.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace antiphon;

namespace {

// What stands between quotation marks behind each declaration of a rule.
std::set<std::string> declared_codes() {
  std::set<std::string> result;
  const std::regex declaration("constexpr\\s+(?:antiphon::)?Rule\\s+\\w+\\s*\\{\\s*\"([^\"]+)\"");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(ANTIPHON_SOURCE_DIR) / "runtime")) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    std::ostringstream stream;
    stream << std::ifstream(entry.path()).rdbuf();
    const auto text = stream.str();
    for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
      result.insert((*at)[1]);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("every rule that is declared is listed, once") {
  std::map<std::string, int, std::less<>> listed;
  for (const auto& rule : rules()) ++listed[std::string(rule.code)];
  const auto declared = declared_codes();
  CHECK(declared.size() > 50);
  for (const auto& code : declared) {
    CAPTURE(code);
    CHECK(listed[code] == 1);
  }
  CHECK(listed.size() == declared.size());
}

TEST_CASE("a rule says what it is in the style of all messages") {
  const std::regex code("[a-z]+(-[a-z]+)*");
  for (const auto& rule : rules()) {
    CAPTURE(std::string(rule.code));
    CHECK(std::regex_match(std::string(rule.code), code));
    REQUIRE_FALSE(rule.summary.empty());
    CHECK(rule.summary.back() != '.');
    REQUIRE_FALSE(rule.explanation.empty());
    CHECK(rule.explanation.back() == '.');
  }
}
