// `antiphon size` as its users meet it.
#include "cli/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace cli_tests;

namespace {

const std::string pipeline = R"(format: 1
graph: pipeline
actors:
  a: {cost: 3 ms, out: {x: {type: 100 B, rate: 2}}}
  b: {cost: 5 ms, in: {x: {type: 100 B, rate: 3}}}
channels:
  - a.x -> b.x
)";

const std::string sized = "  - {from: a.x, to: b.x, capacity: room}";

}  // namespace

TEST_CASE("size says the least capacities to live and to be fast, as proved") {
  const Folder folder;
  folder.write("pipeline.yaml", pipeline);
  const auto ended = shell(folder, "antiphon size pipeline.yaml");
  CHECK(ended.code == 0);
  CHECK(ended.err.empty());
  // 2 + 3 - gcd(2, 3) messages let it live. Three firings of a take 9 ms and two of b 10 ms, so b
  // must never wait; bounds agrees that it has to with one message less.
  folder.write("sized.yaml", std::string(pipeline)
                                 .replace(pipeline.find("  - a.x"), 14, sized)
                                 .insert(pipeline.find("actors"), "parameters: {room: 1}\n"));
  CHECK(contains(shell(folder, "antiphon bounds sized.yaml -D room=8").out,
                 "at best                 10 ms"));
  CHECK_FALSE(contains(shell(folder, "antiphon bounds sized.yaml -D room=7").out,
                       "at best                 10 ms"));
  CHECK(contains(ended.out, "to live             400 bytes, and no less does"));
  CHECK(contains(ended.out, "to be at its best   800 bytes, and no less does"));
  const auto json =
      nlohmann::json::parse(shell(folder, "antiphon size --format json pipeline.yaml").out);
  CHECK(json["unit"] == "bytes");
  CHECK(json["period"] == "10000000");
  CHECK(json["live"]["total"] == 400);
  CHECK(json["live"]["proved"] == true);
  CHECK(json["live"]["capacities"]["a.x -> b.x"] == 4);
  CHECK(json["full"]["total"] == 800);
  CHECK(json["full"]["capacities"]["a.x -> b.x"] == 8);
}

TEST_CASE("size says what a speed costs, and what each one does") {
  const Folder folder;
  folder.write("pipeline.yaml", pipeline);
  // Three firings of one and two of the other, 9 ms and 10 ms, one after the other: 19 ms.
  const auto slow = shell(folder, "antiphon size --throughput 50 pipeline.yaml");
  CHECK(slow.code == 0);
  CHECK(contains(slow.out, "to be as asked      400 bytes, and no less does"));
  const auto too_fast = shell(folder, "antiphon size --throughput 100.5 pipeline.yaml");
  CHECK(too_fast.code == 0);
  CHECK(contains(too_fast.out, "to be as asked      no capacities do: 100/s is the best"));
  const auto json = nlohmann::json::parse(
      shell(folder, "antiphon size --pareto --throughput 201/4 --format json pipeline.yaml").out);
  CHECK(json["front_whole"] == true);
  CHECK(json["actors_without_cost"] == 0);
  folder.write("free.yaml",
               "format: 1\nactors:\n  a: {cost: 1 ms, out: {x: int32}}\n"
               "  b: {in: {x: int32}}\nchannels: [a.x -> b.x]\n");
  CHECK(contains(shell(folder, "antiphon size free.yaml").out,
                 "note: 1 of 2 actors have no cost, so they count as taking no time"));
  REQUIRE(json["front"].size() >= 2);
  CHECK(json["front"].front()["total"] == 400);
  CHECK(json["front"].front()["proved"] == true);
  CHECK(json["front"].back()["total"] == 800);
  CHECK(json["front"].back()["period"] == "10000000");
  CHECK(json["asked"]["total"] == 400);
  for (const auto* bad : {"0", "-1", "fast", "1/0", "1e9", "99999999999999999999"}) {
    const auto refused =
        shell(folder, "antiphon size --throughput=" + std::string(bad) + " pipeline.yaml");
    CHECK(refused.code == 2);
    CHECK(contains(refused.err, "a throughput is a number above 0, as 60, 59.94 or 1/960"));
  }
}

TEST_CASE("size says so where it has no proof, and where there is no graph") {
  const Folder folder;
  folder.write("pipeline.yaml", pipeline);
  folder.write("dead.yaml",
               "format: 1\nactors:\n  a: {in: {x: int32}, out: {y: int32}}\n"
               "  b: {in: {y: int32}, out: {x: int32}}\nchannels: [a.y -> b.y, b.x -> a.x]\n");
  const auto spent = shell(folder, "antiphon size --budget 0 pipeline.yaml");
  CHECK(spent.code == 3);
  CHECK(contains(spent.out, "not known within the budget"));
  const auto dead = shell(folder, "antiphon size dead.yaml");
  CHECK(dead.code == 1);
  CHECK(contains(dead.out, "error[deadlock-data]"));
  CHECK(shell(folder, "antiphon size missing.yaml").code == 2);
  CHECK(shell(folder, "antiphon size --format xml pipeline.yaml").code == 2);
}
