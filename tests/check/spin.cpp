// The verdict on small graphs against that of a model checker: SPIN (Holzmann, 1997), which is
// given each graph in its own language. Needs spin and a C compiler.
#include "check/check_graph.hpp"
#include "check/random_graphs.hpp"
#include "check/state_space.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

using namespace antiphon;
using namespace random_graphs;

namespace {

namespace fs = std::filesystem;

// A folder that goes with its test.
class Folder {
 public:
  Folder() {
    path_ = (fs::temp_directory_path() / "antiphon-spin-XXXXXX").string();
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What a shell command prints; `status` is 0 when it succeeds.
std::string output(const std::string& command, int& status) {
  struct Close {
    int& status;
    void operator()(std::FILE* file) const { status = ::pclose(file); }
  };
  std::string text;
  const std::unique_ptr<std::FILE, Close> pipe(::popen((command + " 2>&1").c_str(), "r"),
                                               Close{status});
  REQUIRE(pipe);
  std::array<char, 4096> piece{};
  while (const auto count = std::fread(piece.data(), 1, piece.size(), pipe.get())) {
    text.append(piece.data(), count);
  }
  return text;
}

// A process for each actor, with one way on for each of its phases; messages are counted in
// variables.
std::string promela(const PlainGraph& graph) {
  std::ostringstream out;
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    out << "int m" << l << " = " << graph.links[l].initial << ";\n";
  }
  for (std::size_t a = 0; a < graph.actors.size(); ++a) {
    const auto& actor = graph.actors[a];
    out << "active proctype a" << a << "() {\n  byte phase = 0;\n  do\n";
    for (std::int64_t phase = 0; phase < actor.once + actor.cycle; ++phase) {
      out << "  :: atomic { (phase == " << phase;
      for (std::size_t l = 0; l < graph.links.size(); ++l) {
        const auto& link = graph.links[l];
        if (link.reader == a) out << " && m" << l << " >= " << link.taken.at(phase);
        if (link.writer == a) {
          out << " && m" << l << " + " << link.sent.at(phase) << " <= " << link.capacity;
        }
      }
      out << ") -> ";
      for (std::size_t l = 0; l < graph.links.size(); ++l) {
        const auto& link = graph.links[l];
        if (link.reader == a)
          out << "m" << l << " = m" << l << " - " << link.taken.at(phase) << "; ";
        if (link.writer == a)
          out << "m" << l << " = m" << l << " + " << link.sent.at(phase) << "; ";
      }
      out << "phase = " << (phase + 1 < actor.once + actor.cycle ? phase + 1 : actor.once)
          << " }\n";
    }
    out << "  od\n}\n";
  }
  return out.str();
}

// Every actor waits for every other, around: then one that stops stops them all, which is the
// deadlock that SPIN looks for.
bool is_one_part(const PlainGraph& graph) {
  std::vector<bool> reached(graph.actors.size(), false);
  reached[0] = true;
  for (bool more = true; more;) {
    more = false;
    for (const auto& link : graph.links) {
      if (!link.moves() || reached[link.writer] == reached[link.reader]) continue;
      reached[link.writer] = reached[link.reader] = true;
      more = true;
    }
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

bool spin_says_it_lives(const PlainGraph& graph) {
  const Folder folder;
  const auto model = promela(graph);
  CAPTURE(model);
  std::ofstream(folder.path() + "/graph.pml") << model;
  int status = 0;
  // All interleavings: without leaving out those that its reduction holds to be the same.
  const auto built = output("cd '" + folder.path() +
                                "' && spin -a graph.pml && cc -w -DSAFETY -DNOREDUCE "
                                "-DMEMLIM=2048 -o pan pan.c",
                            status);
  REQUIRE_MESSAGE(status == 0, built);
  const auto found = output("cd '" + folder.path() + "' && ./pan -m200000 -w18", status);
  CAPTURE(found);
  REQUIRE(found.find("max search depth too small") == std::string::npos);
  REQUIRE(found.find("out of memory") == std::string::npos);
  const auto errors = found.find("errors: ");
  REQUIRE(errors != std::string::npos);
  const bool stops = found.find("invalid end state (") != std::string::npos;
  CHECK((found[errors + 8] != '0') == stops);
  return !stops;
}

}  // namespace

TEST_CASE("SPIN finds the same graphs to stop") {
  int status = 0;
  const auto version = output("spin -V && cc --version", status);
  REQUIRE_MESSAGE(status == 0,
                  "this oracle needs spin and a C compiler (Debian: spin, gcc): " << version);
  int valid = 0;
  int invalid = 0;
  for (std::uint64_t seed = 100'000; valid < 150 || invalid < 150; ++seed) {
    CAPTURE(seed);
    REQUIRE(seed < 110'000);
    Dice dice(seed);
    const auto model =
        make(dice, {.phases = seed % 2 == 0, .all_bounded = true, .most_actors = 4}).model;
    std::vector<std::int64_t> capacities;
    for (const auto& channel : model.channels) capacities.push_back(*channel.capacity);
    const auto graph = plain(model, capacities);
    if (graph.links.empty() || !is_one_part(graph)) continue;
    if (!StateSpace(graph, Steps::firings).explore(100'000)) continue;
    const auto verdict = analysis::check_graph(model).report.verdict;
    auto& count = verdict == Verdict::valid ? valid : invalid;
    if (count == 150) continue;
    ++count;
    CHECK(spin_says_it_lives(graph) == (verdict == Verdict::valid));
  }
  MESSAGE(valid << " graphs live and " << invalid << " stop");
}
