// Random graphs on whatever Vulkan device is here. ANTIPHON_SEEDS=FROM-TO says which: a slice of
// them, unless said.
#include "engine/random_runs.hpp"

#include <doctest/doctest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace random_runs;

TEST_CASE("random live graphs see the right messages on a Vulkan device") {
  std::uint32_t from = 0;
  std::uint32_t to = 60;
  if (const auto* given = std::getenv("ANTIPHON_SEEDS")) {
    REQUIRE(std::sscanf(given, "%" SCNu32 "-%" SCNu32, &from, &to) == 2);
  }
  Runtime runtime({.workers = 3, .validation = true});
  KernelShelf kernels;
  int with_kernels = 0;
  for (auto seed = from; seed < to; ++seed) {
    CAPTURE(seed);
    Random random{std::mt19937{seed}};
    auto model = make(random, {.most_actors = 10, .gpu = random.draw(1, 3)});
    const auto states = std::make_shared<std::vector<Word>>(model.actors.size());
    give_functions(model, states, kernels);
    const Graph graph(model);
    const auto report = check(graph);
    if (report.verdict != Verdict::valid) continue;
    const auto plan = runtime.plan(graph);
    with_kernels += std::any_of(model.actors.begin(), model.actors.end(),
                                [](const auto& actor) { return actor.side == Side::gpu; })
                        ? 1
                        : 0;
    for (const auto order : {Order::overlapped, Order::sequential}) {
      states->assign(model.actors.size(), 0);
      const auto run = runtime.run(plan, {.iterations = 2, .order = order});
      std::vector<std::int64_t> fired;
      for (const auto& actor : run.actors) fired.push_back(actor.firings);
      REQUIRE(*states == run_naively(model, fired).states);
    }
  }
  CHECK(with_kernels * 10 >= static_cast<int>(to - from));
}
