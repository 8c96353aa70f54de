// Files that are no text, no YAML, cut off, or too deep; and files that cannot be read.
#include "io/support.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace antiphon;
using namespace antiphon::io::test;

namespace {

using Found = std::vector<std::string>;

std::string repeated(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

// A folder of this test alone, gone at its end.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("antiphon-io-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Report report_of_file(const std::filesystem::path& file) {
  try {
    load_graph(file);
  } catch (const UnreadableGraph& fault) {
    return fault.report();
  }
  return {};
}

}  // namespace

TEST_CASE("an empty file is said to be empty") {
  CHECK(faults("") == Found{"1:1 empty-file: the file is empty"});
  CHECK(faults(" \n\n") == Found{"1:1 empty-file: the file is empty"});
  CHECK(faults("# a comment\n") == Found{"1:1 empty-file: the file is empty"});
  CHECK(faults("\xEF\xBB\xBF") == Found{"1:1 empty-file: the file is empty"});
}

TEST_CASE("what is no text is told by its first byte that is none") {
  CHECK(faults(std::string("\x7F"
                           "ELF\x02\x01\x00",
                           7)) ==
        Found{"1:1 not-text: the file is not text: it holds the control character 0x7f"});
  CHECK(faults(std::string("format: 1\nactors: {}\0\n", 22)) ==
        Found{"2:11 not-text: the file is not text: it holds the control character 0x00"});
  CHECK(faults("format: 1\n# \x04\n") ==
        Found{"2:3 not-text: the file is not text: it holds the control character 0x04"});
  CHECK(faults("graph: \xFF\n") == Found{"1:8 not-text: byte 0xff is not UTF-8 here"});
  CHECK(faults("graph: \xC3(\n") == Found{"1:8 not-text: byte 0xc3 is not UTF-8 here"});
  CHECK(faults("graph: \xED\xA0\x80\n") == Found{"1:8 not-text: byte 0xed is not UTF-8 here"});
  CHECK(faults("graph: \xE2\x82") == Found{"1:8 not-text: byte 0xe2 is not UTF-8 here"});
  CHECK(faults(std::string("\xFF\xFE"
                           "f\0o\0",
                           6)) == Found{"1:1 not-text: the file is UTF-16, not UTF-8"});
}

TEST_CASE("what is not YAML is told where reading stopped") {
  CHECK(faults("a: b: c\n") == Found{"1:5 not-yaml: the text is not YAML: illegal map value"});
  CHECK(faults("a: @x\n") == Found{"1:4 not-yaml: the text is not YAML: unknown token"});
  CHECK(faults("{a: 1 b: 2}\n") ==
        Found{"1:8 not-yaml: the text is not YAML: end of map flow not found"});
  CHECK(faults("{\"a\": \"\\ud83d\"}\n").size() == 1);
  const auto tab = report_of("format: 1\nactors:\n\ta: {}\n");
  CHECK(tab.diagnostics[0].help == "indent with spaces: YAML allows no tabs there");
  const auto array = report_of("format: 1\nactors:\n  a: {in: {x: float32[4]}}\n");
  CHECK(array.diagnostics[0].code == "not-yaml");
  CHECK(array.diagnostics[0].help ==
        "inside braces and brackets, an array needs quotes: \"float32[64]\"");
}

TEST_CASE("what is YAML and no graph is told as that") {
  CHECK(faults("hello world\n") ==
        Found{"1:1 not-a-graph: a graph is a map, and this is a single value"});
  CHECK(faults("- a\n- b\n") == Found{"1:1 not-a-graph: a graph is a map, and this is a list"});
  CHECK(faults("---\n") == Found{"2:1 not-a-graph: a graph is a map, and this is nothing"});
}

TEST_CASE("a text that is cut off is told where the open part begins") {
  CHECK(faults("format: 1\nactors:\n  a: {in: {x: int32}") ==
        Found{"3:6 cut-off: the text ends before this '{' is closed"});
  CHECK(faults("format: 1\nactors:\n  a: {in: {x: int32") ==
        Found{"3:11 cut-off: the text ends before this '{' is closed"});
  CHECK(faults("{\"format\": 1, \"channels\": [\n\n") ==
        Found{"1:27 cut-off: the text ends before this '[' is closed"});
  CHECK(faults("graph: \"abc") == Found{"1:12 cut-off: the text ends inside a quotation"});
  CHECK(faults("graph: 'abc\n") == Found{"1:8 cut-off: the text ends inside a quotation"});
  const auto report = report_of("format: 1\nactors: {a: {}");
  REQUIRE(report.diagnostics[0].marks.size() == 2);
  CHECK(at(report.diagnostics[0].marks[1].place) == "2:15+0");
}

TEST_CASE("a text that is nested 10,000 deep is told, however it nests") {
  const auto deep = [](const std::string& text) {
    const auto found = faults(text);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  const std::string message = " too-deep: the text is nested more than 64 deep";
  CHECK(deep(repeated("[", 10'000) + repeated("]", 10'000)) == "1:65" + message);
  CHECK(deep(repeated("[", 10'000)).find(message) != std::string::npos);
  CHECK(deep(repeated("{a: ", 10'000)).find(message) != std::string::npos);
  CHECK(deep(repeated("{\"a\":", 10'000) + "1" + repeated("}", 10'000)) == "1:321" + message);
  CHECK(deep(repeated("- ", 10'000) + "x\n") == "1:129" + message);
  CHECK(deep(repeated("? ", 10'000) + "x\n") == "1:129" + message);
  std::string indented;
  for (std::size_t i = 0; i < 1'000; ++i) indented += std::string(i, ' ') + "a:\n";
  CHECK(deep(indented) == "65:65" + message);
  CHECK(deep(repeated("<a>", 10'000) + repeated("</a>", 10'000)) == "1:193" + message);
  CHECK(deep(repeated("<a>", 10'000)) ==
        "1:30001 cut-off: the text ends in the middle of an element");
}

TEST_CASE("anchors, aliases, tags and second documents are refused") {
  CHECK(faults("format: 1\nactors: &x {}\nx-y: *x\n") ==
        Found{"2:9 alias: anchors and aliases are not part of the format",
              "3:6 alias: anchors and aliases are not part of the format"});
  CHECK(faults("format: 1\nactors: *x\n") ==
        Found{"2:9 alias: anchors and aliases are not part of the format"});
  CHECK(faults("format: !!int 1\nactors: {}\n") ==
        Found{"1:9 tag: tags are not part of the format"});
  CHECK(faults("format: 1\nactors: {}\n---\nformat: 1\n") ==
        Found{"3:1 several-documents: the file holds more than one document"});
  CHECK(faults("format: 1\nactors: {}\nx-many: &a [&b [x, x], *b, *b]\n").size() == 4);
}

TEST_CASE("every duplicate key is told, with the place of the first") {
  const auto report = report_of(
      "format: 1\nformat: 1\nactors:\n  a: {side: cpu, side: cpu}\n  a: {}\n  \"a\": {}\n");
  REQUIRE(report.diagnostics.size() == 4);
  for (const auto& one : report.diagnostics) CHECK(one.code == "duplicate-key");
  CHECK(at(report.diagnostics[0].marks[0].place) == "4:18+4");
  CHECK(at(report.diagnostics[1].marks[0].place) == "5:3+1");
  CHECK(at(report.diagnostics[2].marks[0].place) == "6:3+3");
  CHECK(at(report.diagnostics[2].marks[1].place) == "4:3+1");
  CHECK(at(report.diagnostics[3].marks[0].place) == "2:1+6");
}

TEST_CASE("a file with very many faults is told a hundred, and how many more there are") {
  std::string text = "format: 1\nactors:\n";
  for (int i = 0; i < 1'000; ++i) text += "  a" + std::to_string(i) + ": {sid: cpu}\n";
  const auto report = report_of(text);
  REQUIRE(report.diagnostics.size() == 100);
  REQUIRE(report.diagnostics.back().notes.size() == 1);
  CHECK(report.diagnostics.back().notes[0] == "900 faults more were found and are not shown");
}

TEST_CASE("files that cannot be read say why") {
  const Folder folder;
  const auto missing = report_of_file(folder / "missing.yaml");
  REQUIRE(missing.diagnostics.size() == 1);
  CHECK(missing.diagnostics[0].code == "unreadable-file");
  CHECK(missing.diagnostics[0].message ==
        "cannot read '" + (folder / "missing.yaml").string() + "': No such file or directory");
  CHECK(missing.verdict == Verdict::unreadable);
  CHECK(missing.graph == "missing");

  const auto directory = report_of_file(folder / ".");
  REQUIRE(directory.diagnostics.size() == 1);
  CHECK(directory.diagnostics[0].code == "unreadable-file");
  CHECK(directory.diagnostics[0].message ==
        "cannot read '" + (folder / ".").string() + "': it is a folder");

  std::ofstream(folder / "secret.yaml") << "format: 1\nactors: {}\n";
  std::filesystem::permissions(folder / "secret.yaml", std::filesystem::perms::none);
  if (access((folder / "secret.yaml").c_str(), R_OK) == 0) {
    MESSAGE("permission to read cannot be taken from this user: not tested");
  } else {
    const auto secret = report_of_file(folder / "secret.yaml");
    REQUIRE(secret.diagnostics.size() == 1);
    CHECK(secret.diagnostics[0].message ==
          "cannot read '" + (folder / "secret.yaml").string() + "': Permission denied");
  }
}

TEST_CASE("a file larger than 256 MiB is refused before it is read whole") {
  const Folder folder;
  std::ofstream(folder / "large.yaml") << "format: 1\n";
  std::filesystem::resize_file(folder / "large.yaml", (std::uintmax_t{256} << 20) + 1);  // sparse
  const auto report = report_of_file(folder / "large.yaml");
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].code == "too-large");
  CHECK(report.diagnostics[0].message == "the file is larger than 256 MiB");
}

TEST_CASE("a file is loaded with the kernels beside it") {
  const Folder folder;
  std::ofstream(folder / "blur.yaml")
      << "format: 1\nactors:\n  a: {side: gpu, kernel: k/blur.comp}\n";
  const auto graph = load_graph(folder / "blur.yaml");
  CHECK(graph.name() == "blur");
  CHECK(graph.model().actors[0].kernel->file() == (folder / "k/blur.comp").string());
  CHECK(graph.model().actors[0].place.source->name == (folder / "blur.yaml").string());
}

TEST_CASE("an unreadable graph is an error with a kind, a report and a text") {
  try {
    parse_graph("format: 1\nactors: {a: {sid: cpu}}\n", "folder/my.yaml");
    FAIL("this graph is not readable");
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::unreadable);
    const std::string what = fault.what();
    CHECK(what.find("error[unknown-key]: the actor 'a' has no key 'sid'") != std::string::npos);
    CHECK(what.find("folder/my.yaml:2:14") != std::string::npos);
    CHECK(what.find("help: the nearest is 'side'") != std::string::npos);
  }
}
