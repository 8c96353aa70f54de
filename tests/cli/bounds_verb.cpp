// `antiphon bounds` as its users meet it.
#include "cli/program.hpp"
#include "corpus_table.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace cli_tests;

namespace {

const std::string pipeline = R"(format: 1
graph: pipeline
parameters: {room: 1}
actors:
  a: {cost: 3 ms, out: {x: int32}}
  b: {cost: 5 ms, in: {x: int32}}
channels:
  - {from: a.x, to: b.x, capacity: room}
)";

}  // namespace

TEST_CASE("bounds says how fast a graph can be, and what limits it") {
  const Folder folder;
  folder.write("pipeline.yaml", pipeline);
  const auto ended = shell(folder, "antiphon bounds pipeline.yaml");
  CHECK(ended.code == 0);
  CHECK(ended.err.empty());
  CHECK(contains(ended.out, "at best                 8 ms an iteration, 125/s"));
  CHECK(contains(ended.out, "capacities unlimited    5 ms an iteration, 200/s"));
  CHECK(contains(ended.out, "'a' waits for room that 'b' makes in 'a.x -> b.x' (1 firing, 3 ms)"));
  CHECK(contains(ended.out, "'b' waits for messages of 'a' in 'a.x -> b.x' (1 firing, 5 ms)"));
  const auto roomy = shell(folder, "antiphon bounds pipeline.yaml -D room=2");
  CHECK(contains(roomy.out, "at best                 5 ms an iteration, 200/s"));
  CHECK(contains(roomy.out, "'b' waits for its own firing before (1 firing, 5 ms)"));

  const auto json = nlohmann::json::parse(
      shell(folder, "antiphon bounds --format json pipeline.yaml -D room=1").out);
  CHECK(json["period"] == "8000000");
  CHECK(json["period_serial"] == "8000000");
  CHECK(json["period_unlimited"] == "5000000");
  CHECK(json["throughput"] == "1/8000000");
  CHECK(json["unit"] == "ns");
  CHECK(json["firings"] == 2);
  CHECK(json["critical_cycle"].size() == 2);
}

TEST_CASE("bounds says how long messages take, for ever or for as long as they do") {
  const Folder folder;
  folder.write("pipeline.yaml", pipeline);
  const auto all = shell(folder, "antiphon bounds --latency pipeline.yaml -D room=2");
  CHECK(all.code == 0);
  CHECK(
      contains(all.out, "'a' -> 'b'  one every 5 ms: 8 ms at first, 8 ms at most once it goes on"));
  const auto fast = shell(folder, "antiphon bounds --every 2.5ms pipeline.yaml -D room=2");
  CHECK(fast.code == 0);
  CHECK(contains(fast.out, "one every 2.5 ms: without end, since one every 5 ms is all"));
  const auto json = nlohmann::json::parse(
      shell(folder, "antiphon bounds --from a --to b --every 6000000 --format json pipeline.yaml")
          .out);
  REQUIRE(json["latencies"].size() == 1);
  CHECK(json["latencies"][0]["state"] == "infinite");
  CHECK(json["latencies"][0]["interval"] == "6000000");
  CHECK(json["latencies"][0]["interval_min"] == "8000000");
  CHECK(json["latencies"][0]["first"] == "8000000");
  const auto back = shell(folder, "antiphon bounds --from b --to a pipeline.yaml");
  CHECK(back.code == 0);
  CHECK(contains(back.out, "'b' -> 'a'  nothing that the first goes on sending has a part"));

  const auto nobody = shell(folder, "antiphon bounds --from aa pipeline.yaml");
  CHECK(nobody.code == 2);
  CHECK(nobody.err ==
        "antiphon bounds: pipeline.yaml: graph 'pipeline' has no actor 'aa'; the nearest is 'a'\n");
  const auto split = shell(folder, "antiphon bounds --every 0.5ns pipeline.yaml");
  CHECK(split.code == 2);
  CHECK(contains(split.err, "the shortest time is 1 ns"));
}

TEST_CASE("bounds says so where nobody has a cost, and where there is no answer") {
  const Folder folder;
  folder.write("free.yaml",
               "format: 1\nactors:\n  a: {out: {x: int32}}\n  b: {in: {x: int32}}\n"
               "channels: [a.x -> b.x]\n");
  folder.write("bad.yaml", "format: 1\nactors: {}\n");
  folder.write("pipeline.yaml", pipeline);
  const auto none = shell(folder, "antiphon bounds free.yaml");
  CHECK(none.code == 0);
  CHECK(contains(none.out, "no limit"));
  CHECK(contains(none.out, "2 of 2 actors have no cost, so they count as taking no time"));
  CHECK(shell(folder, "antiphon bounds bad.yaml").code == 1);
  CHECK(shell(folder, "antiphon bounds missing.yaml").code == 2);
  CHECK(shell(folder, "antiphon bounds").code == 2);
  const auto spent = shell(folder, "antiphon bounds --budget 0 pipeline.yaml");
  CHECK(spent.code == 3);
  CHECK(contains(spent.out, "not known within the budget"));
}

TEST_CASE("bounds gives the published period of every graph of the corpus") {
  const auto rows = corpus::rows();
  if (rows.empty()) {
    MESSAGE("skipped: there is no corpus/sdf beside the checkout");
    return;
  }
  const Folder folder;
  for (const auto& row : rows) {
    // The largest takes half a minute.
    if (row.at("deadlock_free") != "yes" || std::stoll(row.at("firings")) > 1'000'000) continue;
    CAPTURE(row.at("file"));
    const auto ended = shell(folder, "antiphon bounds --format json '" +
                                         (corpus::folder() / row.at("file")).string() + "'");
    CHECK(ended.code == 0);
    const auto json = nlohmann::json::parse(ended.out);
    CHECK(json["period"] == row.at("period"));
    CHECK(json["period_serial"] == row.at("period_serial"));
    CHECK(std::to_string(json["firings"].get<std::int64_t>()) == row.at("firings"));
    CHECK(json["critical_cycle"].empty() == (row.at("period") == "0"));
  }
}
