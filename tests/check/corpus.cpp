// Published graphs with known answers, where the checkout has them beside it.
#include "corpus_table.hpp"

#include <antiphon/check.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

bool says(const Report& report, const std::string& beginning) {
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(),
                     [&](const Diagnostic& d) {
                       return std::string(d.code).compare(0, beginning.size(), beginning) == 0;
                     });
}

}  // namespace

TEST_CASE("the verdict on every graph of the corpus is the expected one") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  int graphs = 0;
  double slowest_ms = 0;
  std::string slowest;
  for (auto expected : rows) {
    CAPTURE(expected["file"]);
    const auto begin = std::chrono::steady_clock::now();
    const auto report = check(load_graph(corpus::folder() / expected["file"]));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (took.count() > slowest_ms) {
      slowest_ms = took.count();
      slowest = expected["file"];
    }
    ++graphs;
    const bool consistent = expected["consistent"] == "yes";
    CHECK(consistent == !(says(report, "inconsistent-rates") || says(report, "one-sided-rate")));
    if (!consistent) {
      CHECK(report.verdict == Verdict::invalid);
      continue;
    }
    const bool lives = expected["deadlock_free"] == "yes";
    CHECK(lives == !says(report, "deadlock-"));
    CHECK(report.verdict == (lives ? Verdict::valid : Verdict::invalid));
    std::int64_t cycles = 0;
    std::int64_t firings = 0;
    for (const auto& actor : report.actors) {
      cycles += actor.repetitions;
      firings += actor.firings;
    }
    CHECK(std::to_string(cycles) == expected["q_sum"]);
    CHECK(std::to_string(firings) == expected["firings"]);
    CHECK(std::to_string(report.actors.size()) == expected["actors"]);
  }
  CHECK(graphs > 50);
  MESSAGE(graphs << " graphs; the slowest: " << slowest << ", " << slowest_ms << " ms");
}
