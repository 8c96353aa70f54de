// Random graphs on the CPU and on a device of threads. Those that the check calls live run: every
// actor must see the right messages in the right order. Those that it calls stuck are run all the
// same, and stop exactly where it says. ANTIPHON_SEEDS=FROM-TO says which graphs: a slice of them,
// unless said.
#include "engine/random_runs.hpp"

#include "check/check_graph.hpp"
#include "check/liveness.hpp"
#include "device/host/host_device.hpp"
#include "engine/execution.hpp"
#include "plan/placed.hpp"

#include <doctest/doctest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace random_runs;
namespace host = device::host;

// Makes a graph that was not found live into one that can be planned.
namespace antiphon::analysis {

class BackDoor {
 public:
  // REQUIRES: all capacities are given, and the rates fit.
  static std::shared_ptr<const CheckedGraph> open(const GraphModel& model, const Report& report) {
    const std::shared_ptr<CheckedGraph> graph(new CheckedGraph);
    graph->model_ = model;
    for (const auto& channel : model.channels) graph->capacities_.push_back(*channel.capacity);
    for (const auto& actor : report.actors) graph->repetitions_.push_back(actor.repetitions);
    graph->relation_ = relation::build(model, &graph->capacities_);
    graph->report_ = report;
    graph->report_.verdict = Verdict::valid;
    graph->report_.diagnostics.clear();
    std::vector<Diagnostic> none;
    graph->kernels_ = check_kernels(model, none);
    return graph;
  }
};

}  // namespace antiphon::analysis

namespace {

struct Seeds {
  std::uint32_t from = 0;
  std::uint32_t to = 600;
};

Seeds seeds() {
  Seeds result;
  if (const auto* given = std::getenv("ANTIPHON_SEEDS")) {
    REQUIRE(std::sscanf(given, "%" SCNu32 "-%" SCNu32, &result.from, &result.to) == 2);
  }
  return result;
}

// A few of every hundred graphs: nothing here may be empty.
bool enough(int count, int of_a_hundred) {
  const auto [from, to] = seeds();
  return count * 100 >= of_a_hundred * static_cast<int>(to - from);
}

// A device on which each GPU actor of the model has its function.
std::shared_ptr<host::HostDevice> device_for(const GraphModel& model, std::size_t alignment) {
  host::HostOptions options;
  options.profile.storage_offset_alignment = alignment;
  options.profile.max_bindings = 64;
  for (const auto& actor : model.actors) {
    if (actor.side != Side::gpu) continue;
    options.kernels[actor.name] = [inputs = inputs_of(actor)](
                                      std::span<const std::span<std::byte>> windows,
                                      std::array<std::uint32_t, 3>) {
      Folding folding;
      fire_on(folding, inputs, {windows.begin(), windows.end()});
    };
  }
  return host::open(std::move(options)).value_or_throw();
}

RunReport execute(const std::shared_ptr<const plan::Placed>& placed, RunOptions options) {
  const bool here = options.order == Order::sequential;
  engine::Execution execution(placed, std::move(options), here ? 0 : 3);
  if (here) {
    execution.run_here();
  } else {
    execution.start();
  }
  return execution.wait();
}

std::vector<std::int64_t> firings_of(const RunReport& report) {
  std::vector<std::int64_t> result;
  for (const auto& actor : report.actors) result.push_back(actor.firings);
  return result;
}

}  // namespace

TEST_CASE("random live graphs see the right messages on either side, overlapped and in sequence") {
  const auto [from, to] = seeds();
  KernelShelf kernels;
  int live = 0;
  int on_device = 0;
  int realigned = 0;
  for (auto seed = from; seed < to; ++seed) {
    CAPTURE(seed);
    Random random{std::mt19937{seed}};
    auto model = make(random, {.most_actors = 12, .gpu = random.draw(0, 3)});
    const auto states = std::make_shared<std::vector<Word>>(model.actors.size());
    give_functions(model, states, kernels);
    auto outcome = analysis::check_graph(model);
    if (!outcome.graph) continue;
    ++live;
    const auto device = device_for(model, std::size_t{1} << random.draw(0, 6));
    const auto placed_or_not = plan::place(outcome.graph, device);
    if (const auto* why = std::get_if<plan::Unplaced>(&placed_or_not)) {
      FAIL(why->failure.message << (why->report ? render_text(*why->report) : ""));
    }
    const auto& placed = std::get<0>(placed_or_not);
    for (const auto& ring : placed->rings) {
      realigned += ring.realigned ? 1 : 0;
      on_device += ring.on_device ? 1 : 0;
    }
    for (const auto order : {Order::overlapped, Order::sequential}) {
      states->assign(model.actors.size(), 0);
      const auto run = execute(placed, {.iterations = 2, .order = order});
      const auto fired = firings_of(run);
      const auto least = least_firings(model, outcome.report, 2);
      for (std::size_t a = 0; a < fired.size(); ++a) REQUIRE(fired[a] >= least[a]);
      const auto expected = run_naively(model, fired);
      REQUIRE(expected.fired == fired);
      REQUIRE(*states == expected.states);
    }
  }
  CHECK(enough(live, 25));
  CHECK(enough(realigned, 10));
  CHECK(enough(on_device, 20));
}

TEST_CASE("random graphs that are stuck stop exactly where the check says") {
  const auto [from, to] = seeds();
  KernelShelf kernels;
  int stuck = 0;
  int with_kernels = 0;
  for (auto seed = from; seed < to; ++seed) {
    CAPTURE(seed);
    Random random{std::mt19937{seed}};
    auto model = make(random, {.most_actors = 8, .gpu = random.draw(0, 2), .all_bounded = true});
    const auto states = std::make_shared<std::vector<Word>>(model.actors.size());
    give_functions(model, states, kernels);
    const auto report = check(Graph(model));
    if (report.verdict != Verdict::invalid || report.actors.empty()) continue;
    const auto graph = analysis::BackDoor::open(model, report);
    std::int64_t budget = INT64_MAX;
    const auto liveness = analysis::examine(graph->relation(), graph->repetitions(), budget);
    REQUIRE_FALSE(liveness.stuck.empty());
    ++stuck;
    const auto device = device_for(model, 1);
    const auto placed_or_not = plan::place(graph, device);
    // What can't be laid out has nothing to do with being stuck.
    if (!std::holds_alternative<std::shared_ptr<const plan::Placed>>(placed_or_not)) continue;
    const auto& placed = std::get<0>(placed_or_not);
    // A copy between two rings is room that the graph does not have.
    if (placed->actors.size() > model.actors.size()) continue;
    with_kernels += std::any_of(model.actors.begin(), model.actors.end(),
                                [](const auto& actor) { return actor.side == Side::gpu; })
                        ? 1
                        : 0;
    const std::vector<std::int64_t> for_ever(model.actors.size(), INT64_MAX);
    const auto expected = run_naively(model, for_ever, graph->capacities());
    for (const auto order : {Order::overlapped, Order::sequential}) {
      states->assign(model.actors.size(), 0);
      const bool here = order == Order::sequential;
      engine::Execution execution(placed, {.order = order}, here ? 0 : 3);
      if (here) {
        execution.run_here();
      } else {
        execution.start();
      }
      CHECK_THROWS_AS(execution.wait(), RunFailed);
      REQUIRE(execution.progress().firings == expected.fired);
      REQUIRE(*states == expected.states);
    }
    // Where one part alone is stuck, nothing else holds up what the report names.
    if (liveness.stuck.size() > 1) continue;
    for (const auto& hop : liveness.stuck.front().path) {
      REQUIRE(expected.fired[hop.waiter] == hop.fired);
    }
  }
  CHECK(enough(stuck, 10));
  CHECK(enough(with_kernels, 2));
}
