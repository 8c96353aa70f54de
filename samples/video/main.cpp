// Filters a clip: the CPU decodes, the GPU denoises and sharpens, the CPU encodes, all at once. The
// graph is video.yaml; this file loads it, gives its actors what they run, and runs it in both
// orders.
#include "common/comparison.hpp"
#include "common/progress_bar.hpp"
#include "options.hpp"
#include "outcome.hpp"
#include "pass.hpp"

#include <antiphon/antiphon.hpp>
#include <kernels/denoise.hpp>
#include <kernels/sharpen.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

using namespace antiphon;
using namespace video;

namespace {

// What a run of the graph works on. The plan is made once; each run puts another pass here.
using Current = std::shared_ptr<std::unique_ptr<Pass>>;

std::size_t index_of(const Plan& plan, std::string_view actor) {
  const auto& actors = plan.report().actors;
  return static_cast<std::size_t>(std::ranges::find(actors, actor, &ActorFacts::name) -
                                  actors.begin());
}

std::uint32_t bits(int constant) {
  return static_cast<std::uint32_t>(constant);
}

Graph make_graph(const Options& options, const ClipFormat& clip, const Current& pass) {
  const std::uint32_t width = clip.layout.row();
  const std::uint32_t height = clip.layout.height;
  LoadOptions load;
  load.parameters = {{"width", std::to_string(width)}, {"height", std::to_string(height)}};
  if (options.ahead != 0) load.parameters["ahead"] = std::to_string(options.ahead);
  Graph graph = load_graph(options.graph, load);

  graph.bind("decode", [pass](std::span<std::uint32_t> frame, std::int64_t& time) {
    return (*pass)->source.read(frame, time) ? Flow::more : Flow::done;
  });
  Kernel denoise{denoise_spirv};
  denoise.constant(0, width).constant(1, height);
  denoise.constant(2, bits(options.filters.radius)).constant(3, bits(options.filters.strength));
  graph.bind("denoise", denoise);
  Kernel sharpen{sharpen_spirv};
  sharpen.constant(0, width).constant(1, height).constant(2, bits(options.filters.amount));
  graph.bind("sharpen", sharpen);
  graph.bind("encode", [pass](std::span<const std::uint32_t> frame, const std::int64_t& time) {
    (*pass)->sink.write(frame, time);
  });
  return graph;
}

// Measures from the first frame to the last byte.
samples::Take take(Runtime& runtime, const Plan& plan, Pass& pass, RunOptions options) {
  const auto start = std::chrono::steady_clock::now();
  RunReport report = runtime.run(plan, std::move(options));
  pass.sink.encoder().finish();
  return {static_cast<std::int64_t>(pass.sink.hashes().size()),
          std::chrono::steady_clock::now() - start, std::move(report)};
}

void filter(const Options& options) {
  const ClipFormat clip = Decoder(options.input, options.decoder).format();
  const std::int64_t frames = options.frames != 0 ? options.frames : clip.frames;
  const std::int64_t keep_every =
      std::max<std::int64_t>(frames / std::max<std::int64_t>(options.verify, 1), 1);

  const auto pass = std::make_shared<std::unique_ptr<Pass>>();
  const Graph graph = make_graph(options, clip, pass);
  Runtime runtime{
      {.device = options.device, .workers = options.workers, .validation = options.validation}};
  const Plan plan = runtime.plan(graph);

  // A few frames first: a kernel is compiled when it first runs.
  *pass = std::make_unique<Pass>(options, 3, keep_every);
  take(runtime, plan, **pass, {.order = Order::sequential});

  const auto run = [&](const char* title, Order order, const std::filesystem::path& trace) {
    samples::ProgressBar bar{title, frames};
    *pass = std::make_unique<Pass>(options, options.frames, keep_every);
    return take(
        runtime, plan, **pass,
        {.order = order, .on_progress = bar.of_actor(index_of(plan, "encode")), .trace = trace});
  };
  Result result;
  result.clip = clip;
  result.device = runtime.device_name();
  result.comparison.sequential = run("in sequence", Order::sequential, {});
  const auto sequential = std::move(*pass);
  result.comparison.overlapped = run("overlapped", Order::overlapped, options.trace);
  const auto overlapped = std::move(*pass);

  result.verified = verify(*sequential, *overlapped, options.filters);
  overlapped->sink.encoder().keep();
  print(result, options);
  finish_output();
}

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  const auto options = parse_options(argc, argv, exit_code);
  if (!options) return exit_code;
  try {
    prepare_process(*options);
    filter(*options);
    return 0;
  } catch (...) {
    return explain(std::current_exception());
  }
}
