// Small graphs beside the message that each must get: cases/NAME.yaml and cases/NAME.txt. With
// ANTIPHON_UPDATE_CASES=1 in the environment the messages are written instead of compared.
#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>
#include <antiphon/render.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace antiphon;

namespace {

const std::filesystem::path folder =
    std::filesystem::path(ANTIPHON_SOURCE_DIR) / "tests" / "check" / "cases";

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> files(const std::string& extension) {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

TEST_CASE("each graph gets the message that stands beside it") {
  const bool update = std::getenv("ANTIPHON_UPDATE_CASES") != nullptr;
  const auto graphs = files(".yaml");
  CHECK(graphs.size() >= 25);
  std::set<std::string, std::less<>> codes;
  for (const auto& file : graphs) {
    CAPTURE(file.string());
    const auto graph = parse_graph(contents(file), file.filename().string());
    const auto report = check(graph);
    for (const auto& d : report.diagnostics) codes.emplace(d.code);
    const auto expected = std::filesystem::path(file).replace_extension(".txt");
    if (update) {
      std::ofstream(expected, std::ios::binary) << render_text(report);
    } else {
      CHECK(render_text(report) == contents(expected));
    }
    CHECK((report.verdict == Verdict::valid) == (file.stem().string().rfind("valid", 0) == 0));
    // A graph is its text: written and read again it is told the same.
    const auto again = check(parse_graph(write_graph(graph), "again"));
    REQUIRE(again.diagnostics.size() == report.diagnostics.size());
    for (std::size_t i = 0; i < report.diagnostics.size(); ++i) {
      CHECK(again.diagnostics[i].message == report.diagnostics[i].message);
      CHECK(again.diagnostics[i].notes == report.diagnostics[i].notes);
      CHECK(again.diagnostics[i].help == report.diagnostics[i].help);
    }
  }
  CHECK(files(".txt").size() == graphs.size());
  // What a file cannot say is tested in structure.cpp and liveness.cpp.
  for (const char* code : {"no-actors",
                           "duplicate-actor",
                           "duplicate-port",
                           "duplicate-channel",
                           "unknown-actor",
                           "unknown-port",
                           "wrong-direction",
                           "unconnected-port",
                           "port-used-twice",
                           "type-mismatch",
                           "phases-differ",
                           "zero-capacity",
                           "capacity-below-initial",
                           "capacity-below-rate",
                           "unknown-size",
                           "gpu-without-output",
                           "inconsistent-rates",
                           "one-sided-rate",
                           "repetitions-too-large",
                           "deadlock-data",
                           "deadlock-capacity"}) {
    CAPTURE(code);
    CHECK(codes.count(code) == 1);
  }
}
