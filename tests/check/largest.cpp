// The published graphs that are too large for every test run.
#include "corpus_table.hpp"

#include <antiphon/bounds.hpp>
#include <antiphon/graph_file.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace antiphon;

TEST_CASE("the largest published graphs have the published period") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  int graphs = 0;
  for (const auto& row : rows) {
    if (row.at("deadlock_free") != "yes" || std::stoll(row.at("firings")) <= 1'000'000) continue;
    CAPTURE(row.at("file"));
    const auto found = bounds(load_graph(corpus::folder() / row.at("file")));
    const auto text = [](const Fraction& value) {
      const auto whole = std::to_string(value.numerator);
      return value.denominator == 1 ? whole : whole + "/" + std::to_string(value.denominator);
    };
    CHECK(found.given.state == Bound::State::exact);
    CHECK(text(found.given.period) == row.at("period"));
    CHECK(text(found.serial.period) == row.at("period_serial"));
    ++graphs;
  }
  CHECK(graphs > 0);
}
