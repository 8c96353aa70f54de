// What the benchmark files give to bench.cpp.
#pragma once

#include "table.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace perf {

// Two things to be measured in turns. Each call does one sample's worth of work, checks its result
// (a wrong answer throws) and returns the figure in the row's unit.
struct Contest {
  Row row;
  std::function<double()> ours;
  std::function<double()> other;  // empty: the row has a limit or stands alone
  int repetitions = 15;
  bool warm_up = true;  // one sample first that isn't counted
};

std::vector<Contest> hops();
std::vector<Contest> pipelines();
std::vector<Contest> checks(const std::filesystem::path& antiphon_program,
                            const std::filesystem::path& corpus);
std::vector<Contest> samples(const std::filesystem::path& video_program,
                             const std::filesystem::path& clip);

}  // namespace perf
