// Runs every benchmark and prints one table. Google Benchmark repeats them; each repetition
// measures both of a pair itself, one after the other, so that what slows the machine down slows
// both.
#include "measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <map>
#include <string>
#include <vector>

namespace {

// Says nothing itself: the table at the end has it all.
class Quiet : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

int run(int argc, char** argv) {
  CLI::App app{"antiphon's benchmarks: ours beside a peer or a floor, in one alternating run"};
  bool json = false;
  std::string shared;
  std::string clip;
  std::string only;
  app.add_flag("--json", json, "the rows as JSON, with the keys name ours other ratio floor holds");
  app.add_option("--shared", shared, "folder that holds corpus/sdf; its graphs are checked too");
  app.add_option("--clip", clip, "the clip that the video sample filters");
  app.add_option("--only", only, "only rows whose name contains this");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

#ifndef NDEBUG
  std::fputs("bench: built without optimisation; the figures mean little\n", stderr);
#endif

  std::filesystem::path corpus;
  if (!shared.empty()) {
    corpus = std::filesystem::path(shared) / "corpus" / "sdf";
    if (!std::filesystem::is_directory(corpus)) {
      std::fprintf(stderr, "bench: '%s' is not there: the published graphs are left out\n",
                   corpus.c_str());
      corpus.clear();
    }
  }

  std::vector<perf::Figures> table;
  std::vector<perf::Contest> contests;
  const auto gather = [&](const char* what, auto make) {
    try {
      for (auto& contest : make()) {
        if (contest.row.name.find(only) != std::string::npos)
          contests.push_back(std::move(contest));
      }
    } catch (const std::exception& e) {
      table.push_back(perf::failed({what, "", true, {}, {}}, e.what()));
    }
  };
  gather("hops", [] { return perf::hops(); });
  gather("pipelines", [] { return perf::pipelines(); });
  gather("checks", [&] { return perf::checks(program_folder() / "antiphon", corpus); });
  gather("samples", [&] { return perf::samples(program_folder() / "video", clip); });

  if (contests.empty() && table.empty()) {
    std::fprintf(stderr, "bench: no row has '%s' in its name\n", only.c_str());
    return 2;
  }

  struct Samples {
    std::vector<double> ours;
    std::vector<double> other;
    std::string failure;
  };
  std::vector<Samples> samples(contests.size());
  for (std::size_t i = 0; i < contests.size(); ++i) {
    auto& contest = contests[i];
    auto& mine = samples[i];
    // One benchmark per pair: each of its iterations measures both, one after the other.
    benchmark::RegisterBenchmark(contest.row.name.c_str(), [&contest, &mine,
                                                            json](benchmark::State& state) {
      try {
        // Not counted: first dispatches compile, pages are first touched.
        if (contest.warm_up) {
          contest.ours();
          if (contest.other) contest.other();
        }
        for (auto _ : state) {
          mine.ours.push_back(contest.ours());
          if (contest.other) mine.other.push_back(contest.other());
        }
      } catch (const std::exception& e) {
        mine.failure = e.what();
        state.SkipWithError(e.what());
      }
      if (!json) std::fprintf(stderr, "bench: %s\n", contest.row.name.c_str());
    })->Iterations(contest.repetitions);
  }
  int no_arguments = 1;
  benchmark::Initialize(&no_arguments, argv);
  Quiet quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);

  bool all_hold = true;
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const auto& s = samples[i];
    table.push_back(
        s.failure.empty() && !s.ours.empty()
            ? perf::figures(contests[i].row, s.ours, s.other)
            : perf::failed(contests[i].row, s.failure.empty() ? "did not run" : s.failure));
  }
  for (const auto& f : table) all_hold = all_hold && f.holds;
  std::fputs((json ? perf::as_json(table) + "\n" : perf::as_text(table)).c_str(), stdout);
  return all_hold ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench: %s\n", e.what());
    return 2;
  }
}
