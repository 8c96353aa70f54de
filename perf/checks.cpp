// The check: as a whole process on a large graph, and as a call on published ones.
#include "measure.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace perf {

namespace {

double ms_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// A pipeline of a thousand actors with a rate change and a bounded channel at every step.
std::filesystem::path thousand_actors() {
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("antiphon_bench_{}.yaml", ::getpid());
  std::ofstream out(path);
  out << "format: 1\ngraph: thousand\nactors:\n";
  for (int i = 0; i < 1000; ++i) {
    out << fmt::format("  a{}: {{side: {}", i, i % 2 == 0 || i == 999 ? "cpu" : "gpu");
    if (i > 0) out << fmt::format(", in: {{x: {{type: int32, rate: {}}}}}", 1 + i % 3);
    if (i < 999) out << fmt::format(", out: {{y: {{type: int32, rate: {}}}}}", 1 + (i + 1) % 3);
    out << "}\n";
  }
  out << "channels:\n";
  for (int i = 0; i < 999; ++i)
    out << fmt::format("  - {{from: a{}.y, to: a{}.x, capacity: 16}}\n", i, i + 1);
  return path;
}

}  // namespace

std::vector<Contest> checks(const std::filesystem::path& program,
                            const std::filesystem::path& corpus) {
  std::vector<Contest> contests;
  Contest whole;
  whole.row = {"antiphon check of 1,000 actors, whole process, beside the limit of 50 ms", "ms",
               true, 50.0, 1.0};
  struct File {
    std::filesystem::path path = thousand_actors();
    ~File() {
      std::error_code ignored;
      std::filesystem::remove(path, ignored);
    }
  };
  whole.ours = [program, file = std::make_shared<File>()] {
    const auto command =
        fmt::format("'{}' check '{}' > /dev/null", program.string(), file->path.string());
    const auto begin = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
    return ms_since(begin);
  };
  contests.push_back(std::move(whole));

  if (corpus.empty()) return contests;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    Contest contest;
    contest.row = {"check " + std::filesystem::relative(file, corpus).string(), "ms", true, {}, {}};
    contest.repetitions = 3;
    contest.ours = [file] {
      const auto begin = std::chrono::steady_clock::now();
      const auto graph = antiphon::load_graph(file);
      const auto report = antiphon::check(graph);
      const auto time = ms_since(begin);
      if (report.verdict == antiphon::Verdict::undecided) throw std::runtime_error("undecided");
      return time;
    };
    contests.push_back(std::move(contest));
  }
  return contests;
}

}  // namespace perf
