// `antiphon show`.
#include "cli/program.hpp"

#include <doctest/doctest.h>

#include <pty.h>

#include <string>

using namespace cli_tests;

namespace {

const std::string stuck = R"(format: 1
graph: stuck
actors:
  a: {in: {x: int32}, out: {y: {type: int32, rate: [1, 2]}}}
  b: {side: gpu, in: {y: {type: int32, rate: 3}}, out: {x: {type: int32, rate: 2}}}
channels:
  - a.y -> b.y
  - b.x -> a.x
)";

// A program of that name that PATH finds first.
std::string fake(const Folder& folder, const std::string& name, const std::string& script) {
  const auto file = folder.write(name, "#!/bin/sh\n" + script);
  fs::permissions(file, fs::perms::owner_all);
  return "PATH=\"" + folder.path().string() + ":$PATH\" ";
}

// What the program prints where its standard output is a terminal, carriage returns left out.
std::string on_a_terminal(const std::string& file) {
  int terminal = -1;
  const auto child = forkpty(&terminal, nullptr, nullptr, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("TERM", "dumb", 1);
    execl(ANTIPHON_PROGRAM, "antiphon", "show", file.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  std::string text;
  char byte = 0;
  // Linux says EIO once the other end is closed.
  while (read(terminal, &byte, 1) == 1) {
    if (byte != '\r') text += byte;
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(terminal);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  return text;
}

}  // namespace

TEST_CASE("show draws a graph, with what is wrong in red") {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  const auto ended = shell(folder, "antiphon show stuck.yaml");
  CHECK(ended.code == 0);
  CHECK(contains(ended.out, "digraph \"stuck\" {"));
  CHECK(contains(ended.out, "\"b\" [shape=box, style=filled, fillcolor=\"#fbe3d2\"];"));
  CHECK(contains(ended.out,
                 "\"a\" -> \"b\" [taillabel=\"y 1,2\", headlabel=\"y 3\", label=\"\", color=red"));
  CHECK(contains(ended.out,
                 "\"b\" -> \"a\" [taillabel=\"x 2\", headlabel=\"x\", label=\"\", color=red"));
  const auto missing = shell(folder, "antiphon show missing.yaml");
  CHECK(missing.code == 2);
  CHECK(missing.out.empty());
  CHECK(contains(missing.err, "error[unreadable-file]"));
}

TEST_CASE("a graph that is shown as YAML is the same graph") {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  CHECK(shell(folder, "antiphon show --format yaml stuck.yaml > again.yaml").code == 0);
  CHECK(shell(folder, "antiphon show --format yaml again.yaml").out == folder.read("again.yaml"));
  CHECK(contains(shell(folder, "antiphon check again.yaml").out, "error[deadlock-data]"));
}

TEST_CASE("show as text has every actor and channel, with numbers, and marks what is wrong") {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  CHECK(shell(folder, "antiphon show --format text stuck.yaml").out ==
        "graph 'stuck', invalid: 2 actors (1 on the GPU), 2 channels\n"
        "\n"
        "  actor  side  fires  cost  at once  takes  sends\n"
        "  a      cpu   2      -     1        x      y 1,2\n"
        "  b      gpu   1      -     1        y 3    x 2\n"
        "\n"
        "  channel     holds  at start  carries\n"
        "! a.y -> b.y  auto   0         int32\n"
        "! b.x -> a.x  auto   0         int32\n"
        "\n"
        "fires: firings in one iteration, after which the graph is as it was before\n"
        "at once: firings of the actor that may overlap\n"
        "takes, sends: the ports, and the messages of one firing where they are not 1\n"
        "1,2: in turn; 3*2: three times 2, and again from the start; 5;1: 5 once, then 1\n"
        "holds: messages that the channel has room for; auto: the check chooses\n"
        "!: what the errors point at\n"
        "\n"
        "error[deadlock-data]: 'a' and 'b' wait for each other's messages for ever\n");
  folder.write("valid.yaml",
               "format: 1\ngraph: valid\nactors:\n"
               "  first: {cost: 2 ms, out: {x: 64 KiB, y: int8}}\n"
               "  é: {concurrency: unlimited, cost: [1 ms, 3 us], in: {x: {}}}\n"
               "  last: {concurrency: 3, in: {y: int8}}\n"
               "channels:\n  - first.x -> é.x\n"
               "  - {from: first.y, to: last.y, name: bytes, capacity: 7, initial: 2}\n");
  const auto valid = shell(folder, "antiphon show --format text valid.yaml");
  CHECK(valid.code == 0);
  CHECK(valid.out.substr(0, valid.out.find("\nfires:")) ==
        "graph 'valid': 3 actors, 2 channels\n"
        "\n"
        "  actor  side  fires  cost       at once  takes  sends\n"
        "  first  cpu   2      2 ms       1               x\n"
        "                                                 y\n"
        "  é      cpu   2      1 ms,3 us  any      x\n"
        "  last   cpu   2      -          3        y\n"
        "\n"
        "  channel                   holds     at start  carries\n"
        "  first.x -> é.x            4 (auto)  0         64 KiB\n"
        "  bytes: first.y -> last.y  7         2         int8\n");
}

TEST_CASE("a graph that means nothing is shown as what it says") {
  const Folder folder;
  folder.write("wrong.yaml",
               "format: 1\nactors: {a: {out: {x: int8}}}\n"
               "channels: [a.z -> b.y, {from: a.x, to: [], name: none}]\n");
  const auto text = shell(folder, "antiphon show --format text wrong.yaml");
  CHECK(text.code == 0);
  CHECK(contains(text.out, "! a.z -> b.y"));
  CHECK(contains(text.out, "error[unknown-actor]"));
  const auto dot = shell(folder, "antiphon show --format dot wrong.yaml");
  CHECK(dot.code == 0);
  CHECK(contains(dot.out, "taillabel=\"z ?\", headlabel=\"y ?\""));
  folder.write("empty.yaml", "format: 1\nactors: {}\n");
  CHECK(contains(shell(folder, "antiphon show --format text empty.yaml").out, "error[no-actors]"));
}

TEST_CASE("show is text on a terminal and dot elsewhere, unless one says which") {
  const Folder folder;
  const auto file = folder.write("stuck.yaml", stuck);
  CHECK(on_a_terminal(file) == shell(folder, "antiphon show --format text stuck.yaml").out);
  CHECK(shell(folder, "antiphon show stuck.yaml").out ==
        shell(folder, "antiphon show --format dot stuck.yaml").out);
}

TEST_CASE("show as SVG gives what Graphviz's program makes of the dot") {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  const auto path = fake(folder, "dot", "echo \"<svg>$*\"\ncat\necho '</svg>'\n");
  const auto svg = shell(folder, path + "antiphon show --format svg stuck.yaml");
  CHECK(svg.code == 0);
  CHECK(svg.err.empty());
  CHECK(svg.out ==
        "<svg>-Tsvg\n" + shell(folder, "antiphon show --format dot stuck.yaml").out + "</svg>\n");
  // Where the three that every program begins with are closed, too.
  const auto closed = shell(folder, path + "antiphon show --format svg stuck.yaml <&- 2>&-");
  CHECK(closed.out == svg.out);
  const auto two = shell(folder, path + "antiphon show --format svg stuck.yaml stuck.yaml");
  CHECK(two.code == 2);
  CHECK(two.out.empty());
  CHECK(contains(two.err, "an SVG file is one picture, and these are 2 graphs"));
}

TEST_CASE("a large graph neither blocks the pipes to Graphviz nor is it cut") {
  const Folder folder;
  std::string large = "format: 1\nactors:\n";
  for (int i = 0; i < 20'000; ++i) {
    large += "  a" + std::to_string(i) + ": {out: {x: int8}}\n";
  }
  folder.write("large.yaml", large);
  const auto dot = shell(folder, "antiphon show --format dot large.yaml").out;
  CHECK(dot.size() > 400'000);
  // One that answers as it reads, and one that answers at length before it reads.
  const auto echo = fake(folder, "dot", "exec cat\n");
  CHECK(shell(folder, echo + "antiphon show --format svg large.yaml").out == dot);
  const auto early =
      fake(folder, "dot", "head -c 1000000 /dev/zero | tr '\\0' x\nexec cat > /dev/null\n");
  CHECK(shell(folder, early + "antiphon show --format svg large.yaml").out ==
        std::string(1'000'000, 'x'));
}

TEST_CASE("where Graphviz is missing or fails, nothing is printed and the way out is said") {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  const auto ended = [&](const std::string& path) {
    auto result = shell(folder, path + "antiphon show --format svg stuck.yaml");
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(ended("PATH=/nowhere ") ==
        "antiphon show: SVG is drawn by Graphviz's program `dot`, which is not here: install the "
        "package graphviz, or take --format dot and draw it elsewhere\n");
  CHECK(ended(fake(folder, "dot", "echo 'I will not' >&2; echo half; exit 3\n")) ==
        "I will not\nantiphon show: Graphviz's program `dot` failed with exit status 3; --format "
        "dot gives the graph as it got it\n");
  CHECK(contains(ended(fake(folder, "dot", "echo half; kill -9 $$\n")), "was ended by signal 9"));
  CHECK(contains(ended(fake(folder, "dot", "exec cat > /dev/null\n")), "drew nothing"));
  folder.write("dot", "no program\n");
  fs::permissions(folder.path() / "dot", fs::perms::owner_read);
  CHECK(contains(ended("PATH=\"" + folder.path().string() + "\" "), "could not be run"));
}

TEST_CASE("Graphviz draws the path of a deadlock in red" *
          doctest::skip(std::system("command -v dot > /dev/null") != 0)) {
  const Folder folder;
  folder.write("stuck.yaml", stuck);
  const auto svg = shell(folder, "antiphon show --format svg stuck.yaml");
  CHECK(svg.code == 0);
  CHECK(contains(svg.out, "<svg"));
  CHECK(contains(svg.out, "stroke=\"red\""));
}
