// `antiphon convert`.
#include "cli/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace cli_tests;

namespace {

const std::string pair = R"(format: 1
graph: pair
parameters: {n: 3}
actors:
  a: {cost: 2 ms, out: {x: {type: int32, rate: [1, n]}}}
  b: {cost: 1 ms, in: {y: {type: int32, rate: 2}}}
channels:
  - {from: a.x, to: b.y, capacity: 5, initial: 1}
)";

std::vector<std::string> names_in(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const auto name = entry.path().filename().string();
    if (name != "out" && name != "err") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The verdict, how often each actor fires, and the least time of an iteration.
std::string facts(const Folder& folder, const std::string& file) {
  const auto ended = shell(folder, "antiphon bounds --format json " + file);
  CHECK(ended.code == 0);
  const auto found = nlohmann::json::parse(ended.out);
  return found["verdict"].get<std::string>() + " " + found["period"].get<std::string>() + " " +
         found["actors"].dump();
}

}  // namespace

TEST_CASE("a graph goes through every format and is told the same at the end") {
  const Folder folder;
  folder.write("pair.yaml", pair);
  const auto expected = facts(folder, "pair.yaml");
  const auto json = shell(folder, "antiphon convert pair.yaml pair.json");
  CHECK(json.code == 0);
  CHECK(json.out.empty());
  CHECK(json.err.empty());
  CHECK(nlohmann::json::parse(folder.read("pair.json"))["graph"] == "pair");
  CHECK(facts(folder, "pair.json") == expected);
  const auto sdf3 = shell(folder, "antiphon convert pair.json pair.xml");
  CHECK(sdf3.code == 0);
  CHECK(contains(sdf3.err, "warning[no-words-for]: SDF3's times have no unit"));
  CHECK(contains(sdf3.err, "--> pair.json:"));
  CHECK_FALSE(contains(sdf3.err, "is valid"));
  CHECK(facts(folder, "pair.xml") == expected);
  CHECK(shell(folder, "antiphon convert pair.xml again.yml").code == 0);
  CHECK(contains(folder.read("again.yml"), "semantics: sdf3"));
  CHECK(facts(folder, "again.yml") == expected);
  const auto same = shell(folder, "antiphon convert again.yml --to sdf3");
  CHECK(same.code == 0);
  CHECK(same.err.empty());
  CHECK(same.out == folder.read("pair.xml"));
  CHECK(names_in(folder) ==
        std::vector<std::string>{"again.yml", "pair.json", "pair.xml", "pair.yaml"});
}

TEST_CASE("convert reads the standard input and parameters, and writes the standard output") {
  const Folder folder;
  folder.write("pair.yaml", pair);
  const auto ended = shell(folder, "antiphon convert - --to yaml -D n=5 < pair.yaml");
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "rate: [1, 5]"));
  CHECK(shell(folder, "antiphon convert pair.yaml - --to yaml -D n=5").out == ended.out);
  // What --to says counts, whatever the file is called.
  CHECK(shell(folder, "antiphon convert pair.yaml graph.json --to yaml -D n=5").code == 0);
  CHECK(folder.read("graph.json") == ended.out);
}

TEST_CASE("convert replaces a file only where it may, and keeps its rights and links") {
  const Folder folder;
  folder.write("pair.yaml", pair);
  const auto target = folder.write("old.json", "mine\n");
  const auto refused = shell(folder, "antiphon convert pair.yaml old.json");
  CHECK(refused.code == 2);
  CHECK(refused.err == "antiphon convert: 'old.json' is there already; --force replaces it\n");
  CHECK(folder.read("old.json") == "mine\n");

  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("old.json", folder.path() / "link.json");
  CHECK(shell(folder, "antiphon convert pair.yaml link.json --force").code == 0);
  CHECK(fs::is_symlink(folder.path() / "link.json"));
  CHECK(nlohmann::json::accept(folder.read("old.json")));
  CHECK(fs::status(target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  // From itself: it is read whole before it is replaced.
  CHECK(shell(folder, "antiphon convert old.json old.json --force").code == 0);
  CHECK(nlohmann::json::accept(folder.read("old.json")));

  CHECK(shell(folder, "umask 027; antiphon convert pair.yaml new.json").code == 0);
  struct stat found {};
  REQUIRE(stat((folder.path() / "new.json").c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0640);
  CHECK(names_in(folder) ==
        std::vector<std::string>{"link.json", "new.json", "old.json", "pair.yaml"});
}

TEST_CASE("a conversion that fails leaves what was there, and says why") {
  const Folder folder;
  folder.write("pair.yaml", pair);
  folder.write("broken.yaml", "format: 1\nactors: {a: {sid: gpu}}\n");
  folder.write("old.json", "mine\n");
  const auto before = names_in(folder);
  const auto fault = [&](const std::string& arguments) {
    auto ended = shell(folder, "antiphon convert " + arguments);
    CAPTURE(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(folder.read("old.json") == "mine\n");
    CHECK(names_in(folder) == before);
    return ended.err;
  };
  CHECK(contains(fault("broken.yaml old.json --force"), "error[unknown-key]"));
  CHECK(contains(fault("missing.yaml new.json"), "error[unreadable-file]"));
  CHECK(fault("pair.yaml nowhere/new.json") ==
        "antiphon convert: 'nowhere/new.json' cannot be written: No such file or directory\n");
  CHECK(fault("pair.yaml . --to json") == "antiphon convert: '.' is a folder: name a file in it\n");
  CHECK(contains(fault("pair.yaml /dev/null --to json --force"), "no file that can be replaced"));
  CHECK(contains(fault("pair.yaml new.txt"), "the ending of 'new.txt' says no format: add --to"));
  CHECK(contains(fault("pair.yaml"), "the format is not said: add --to"));
  CHECK(contains(fault("pair.yaml new.json --to toml"), "toml"));
  CHECK(contains(fault("pair.yaml new.json extra.json"), "extra.json"));
  CHECK(contains(fault("pair.yaml new.json -D m=1"), "no parameter 'm'"));
  // A disk that is full: no file may grow beyond this.
  std::string large = "format: 1\nactors:\n";
  for (int i = 0; i < 2'000; ++i) large += "  actor" + std::to_string(i) + ": {}\n";
  const Folder full;
  full.write("large.yaml", large);
  full.write("old.json", "mine\n");
  const auto cut = shell(full,
                         "(trap '' XFSZ; ulimit -f 8; antiphon convert large.yaml old.json "
                         "--force)");
  CHECK(cut.code == 2);
  CHECK(contains(cut.err, "'old.json' cannot be written: File too large"));
  CHECK(full.read("old.json") == "mine\n");
  CHECK(names_in(full) == std::vector<std::string>{"large.yaml", "old.json"});
}

TEST_CASE("what SDF3 would say otherwise is refused with its place") {
  const Folder folder;
  folder.write("differ.yaml",
               "format: 1\nactors:\n  a: {out: {x: int32}}\n  b: {in: {y: float32}}\n"
               "channels:\n  - a.x -> b.y\n");
  const auto refused = shell(folder, "antiphon convert differ.yaml differ.xml");
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "error[type-mismatch]"));
  CHECK(contains(refused.err, "--> differ.yaml:6:5"));
  CHECK(contains(refused.err,
                 "would no longer say what is wrong with it; yaml and json can hold it"));
  CHECK_FALSE(fs::exists(folder.path() / "differ.xml"));
  CHECK(shell(folder, "antiphon convert differ.yaml differ.json").code == 0);
  CHECK(contains(shell(folder, "antiphon check differ.json").out, "error[type-mismatch]"));
  // A graph that stops for ever stops as SDF3, too.
  folder.write("stuck.yaml",
               "format: 1\nactors:\n  a: {in: {x: 4 B}, out: {y: 4 B}}\n"
               "channels: [a.y -> a.x]\n");
  CHECK(shell(folder, "antiphon convert stuck.yaml stuck.xml").code == 0);
  CHECK(contains(shell(folder, "antiphon check stuck.xml").out, "error[deadlock-data]"));
}

TEST_CASE("a kernel that is left behind is told") {
  const Folder folder;
  fs::create_directory(folder.path() / "there");
  folder.write("gpu.yaml",
               "format: 1\nactors:\n  a: {out: {x: int8}}\n"
               "  g: {side: gpu, kernel: g.comp, in: {x: int8}, out: {y: int8}}\n"
               "  b: {in: {y: int8}}\nchannels: [a.x -> g.x, g.y -> b.y]\n");
  CHECK(shell(folder, "antiphon convert gpu.yaml here.json").err.empty());
  const auto moved = shell(folder, "antiphon convert gpu.yaml there/gpu.json");
  CHECK(moved.code == 0);
  CHECK(moved.err ==
        "antiphon convert: warning: the kernel 'g.comp' is looked for beside the graph, which "
        "lies in another folder now\n");
}
