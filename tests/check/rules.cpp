#include <antiphon/diagnostic.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

using namespace antiphon;

namespace {

// What stands in the first quotation marks behind each "constexpr Rule NAME{".
std::set<std::string> declared_codes() {
  std::set<std::string> result;
  const std::string declaration = "constexpr Rule ";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(ANTIPHON_SOURCE_DIR) / "runtime")) {
    if (entry.path().extension() != ".hpp" && entry.path().extension() != ".cpp") continue;
    std::ostringstream stream;
    stream << std::ifstream(entry.path()).rdbuf();
    const auto text = stream.str();
    for (auto at = text.find(declaration); at != std::string::npos;
         at = text.find(declaration, at + 1)) {
      const auto begin = text.find('"', at) + 1;
      result.insert(text.substr(begin, text.find('"', begin) - begin));
    }
  }
  return result;
}

// "deadlock-data": words of small letters with one hyphen between each two.
bool is_code(std::string_view code) {
  char before = '-';
  for (const char c : code) {
    if ((c < 'a' || c > 'z') && (c != '-' || before == '-')) return false;
    before = c;
  }
  return before != '-';
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
  for (const auto& rule : rules()) {
    CAPTURE(std::string(rule.code));
    CHECK(is_code(rule.code));
    REQUIRE_FALSE(rule.summary.empty());
    CHECK(rule.summary.back() != '.');
    REQUIRE_FALSE(rule.explanation.empty());
    CHECK(rule.explanation.back() == '.');
  }
}
