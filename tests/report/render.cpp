#include <antiphon/render.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>

using namespace antiphon;

namespace {

Place place(std::string text, std::uint32_t line, std::uint32_t column, std::uint32_t length) {
  return {std::make_shared<const SourceText>(SourceText{"blur.graph", std::move(text)}), line,
          column, length};
}

Report starved(Place at) {
  Report report;
  report.graph = "blur";
  report.verdict = Verdict::invalid;
  report.diagnostics = {{"starved-cycle",
                         Severity::error,
                         "no actor on this cycle can ever start",
                         {{std::move(at), "split.out -> merge.in", ""}},
                         {"the cycle is split -> merge -> split"},
                         "give one channel on the cycle an initial message"}};
  return report;
}

}  // namespace

TEST_CASE("a place in a file is shown with its line, underlined") {
  CHECK(render_text(starved(place("channels:\n  - split.out -> merge.in\n", 2, 5, 21))) ==
        "error[starved-cycle]: no actor on this cycle can ever start\n"
        "  --> blur.graph:2:5   split.out -> merge.in\n"
        "   |\n"
        " 2 |   - split.out -> merge.in\n"
        "   |     ^^^^^^^^^^^^^^^^^^^^^\n"
        "note: the cycle is split -> merge -> split\n"
        "help: give one channel on the cycle an initial message\n"
        "\n"
        "graph 'blur' is invalid: 1 error\n");
}

TEST_CASE("a graph that was built in code shows the subject without a file") {
  CHECK(render_text(starved({})) ==
        "error[starved-cycle]: no actor on this cycle can ever start\n"
        "  --> split.out -> merge.in\n"
        "note: the cycle is split -> merge -> split\n"
        "help: give one channel on the cycle an initial message\n"
        "\n"
        "graph 'blur' is invalid: 1 error\n");
}

TEST_CASE("a label stands behind the underline, or behind the subject") {
  auto report = starved(place("a: b\r\n", 1, 4, 1));
  report.diagnostics[0].marks[0].label = "here";
  CHECK(render_text(report).find(" 1 | a: b\n   |    ^ here\n") != std::string::npos);
  report.diagnostics[0].marks[0].place = {};
  CHECK(render_text(report).find("  --> split.out -> merge.in: here\n") != std::string::npos);
}

TEST_CASE("the summary of a valid graph counts actors and channels") {
  Report report;
  report.graph = "hello";
  report.actors.resize(3);
  report.channels.resize(1);
  CHECK(render_text(report) == "graph 'hello' is valid: 3 actors, 1 channel\n");
  report.diagnostics.push_back({"odd", Severity::warning, "odd", {}, {}, ""});
  CHECK(render_text(report) ==
        "warning[odd]: odd\n\ngraph 'hello' is valid: 3 actors, 1 channel, 1 warning\n");
}

TEST_CASE("shortened, the first error is whole and the rest is counted") {
  auto report = starved({});
  report.diagnostics.insert(report.diagnostics.begin(),
                            {"odd", Severity::warning, "odd", {}, {}, ""});
  const auto text = render_text(report, {.all = false});
  CHECK(text.find("error[starved-cycle]") == 0);
  CHECK(text.find("and 1 more, which --all shows\n") != std::string::npos);
  CHECK(text.find("warning[odd]") == std::string::npos);
}

TEST_CASE("colour comes only when asked for") {
  const auto report = starved(place("channels:\n  - split.out -> merge.in\n", 2, 5, 21));
  CHECK(render_text(report).find('\x1b') == std::string::npos);
  CHECK(render_text(report, {.color = true}).find("\x1b[1;31merror[starved-cycle]\x1b[0m") == 0);
}

TEST_CASE("names from a file cannot steer the terminal") {
  auto report = starved(place("x: \x1b[2J\xff\n", 1, 4, 5));
  report.graph = "a\x1b[31m\nb";
  report.diagnostics[0].marks[0].subject = "\xc3\x28\xe2\x80\xae";
  const auto text = render_text(report);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find(" 1 | x: \\x1b[2J\xef\xbf\xbd\n   |    ^^^^^^^^") != std::string::npos);
  CHECK(text.find("\xef\xbf\xbd(\\u202e") != std::string::npos);
  CHECK(text.find("graph 'a\\x1b[31m\\x0ab' is invalid") != std::string::npos);
}

TEST_CASE("a long line is shown in part, and an underline ends where the shown part ends") {
  const std::string text = std::string(5000, 'a') + "XY" + std::string(100000, 'b');
  const auto shown = render_text(starved(place(text, 1, 5001, 90000)));
  CHECK(shown.size() < 1000);
  CHECK(shown.find("…" + std::string(60, 'a') + "XY") != std::string::npos);
  CHECK(shown.find("| " + std::string(61, ' ') + std::string(100, '^') + "\n") !=
        std::string::npos);
}

TEST_CASE("places outside their text are shown without a line") {
  for (const auto& at : {place("a", 7, 1, 1), place("a", 1, 900, 900), place("", 1, 1, 0)}) {
    CHECK(render_text(starved(at)).find("--> blur.graph:") != std::string::npos);
  }
}

TEST_CASE("further lines of a message are indented") {
  auto report = starved({});
  report.diagnostics[0].help = "either this\nor that";
  CHECK(render_text(report).find("help: either this\n      or that\n") != std::string::npos);
}

TEST_CASE("JSON has every key, and null where there is no file") {
  auto report = starved(place("channels:\n  - split.out -> merge.in\n", 2, 5, 21));
  report.diagnostics[0].marks.push_back({{}, "merge", "waits"});
  report.actors = {{"split", 2, 6}};
  report.channels = {{"split.out -> merge.in", 3, true}};
  report.memory = {12, 3, 4};
  auto json = nlohmann::json::parse(render_json(report));
  CHECK(json == nlohmann::json::parse(R"({
    "graph": "blur", "verdict": "invalid",
    "diagnostics": [{
      "code": "starved-cycle", "severity": "error",
      "message": "no actor on this cycle can ever start",
      "marks": [
        {"file": "blur.graph", "line": 2, "column": 5, "length": 21,
         "subject": "split.out -> merge.in", "label": ""},
        {"file": null, "line": null, "column": null, "length": null,
         "subject": "merge", "label": "waits"}],
      "notes": ["the cycle is split -> merge -> split"],
      "help": "give one channel on the cycle an initial message",
      "repairs": [], "subjects": [], "allowed": null}],
    "actors": [{"name": "split", "repetitions": 2, "firings": 6}],
    "channels": [{"name": "split.out -> merge.in", "capacity": 3, "chosen": true}],
    "memory": {"host": 12, "both": 3, "device": 4}, "device": null})"));
  report.device = "card";
  json = nlohmann::json::parse(render_json(report));
  CHECK(json["device"] == "card");
}

TEST_CASE("the verdict on a device names it, and what it has to hold") {
  Report report;
  report.graph = "blur";
  report.device = "card";
  report.memory = {1000, 1024, 512};
  CHECK(render_text(report) ==
        "graph 'blur' is valid on 'card': 0 actors, 0 channels, 1.5 KiB within the GPU's reach\n");
}

TEST_CASE("JSON keeps its form when names are not UTF-8") {
  auto report = starved({});
  report.graph = "\xff\xfe";
  CHECK(nlohmann::json::parse(render_json(report))["graph"] == "\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("an invalid graph says its whole report") {
  const InvalidGraph error(starved({}));
  CHECK(error.kind() == ErrorKind::invalid_graph);
  CHECK(std::string(error.what()) == render_text(starved({})));
  CHECK(error.report().graph == "blur");
}
