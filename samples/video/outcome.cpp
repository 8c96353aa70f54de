#include "outcome.hpp"

#include "common/interrupt.hpp"
#include "common/paths.hpp"

#include <antiphon/graph_file.hpp>
#include <antiphon/runtime.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

extern "C" {
#include <libavutil/log.h>
}

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace video {

namespace {

constexpr int run_failed = 1;
constexpr int bad_input = 2;

int say(int exit_code, std::string_view message) {
  fmt::print(stderr, "video: {}\n", message);
  return exit_code;
}

int exit_code_of(antiphon::ErrorKind kind) {
  using antiphon::ErrorKind;
  const bool input = kind == ErrorKind::invalid_graph || kind == ErrorKind::unreadable ||
                     kind == ErrorKind::misuse;
  return input ? bad_input : run_failed;
}

}  // namespace

void prepare_process(const Options& options) {
  ::setenv("LP_NUM_THREADS", std::to_string(options.device_threads).c_str(), 0);
  av_log_set_level(AV_LOG_QUIET);
  samples::watch_for_interrupt();
  const auto refuse = [](const std::filesystem::path& name, const char* why) {
    throw BadOutput(fmt::format("cannot write {}: it is {}", name.string(), why));
  };
  if (samples::same_file(options.input, options.output)) {
    refuse(options.output, "the clip to read");
  }
  if (options.trace.empty()) return;
  if (samples::same_file(options.input, options.trace)) refuse(options.trace, "the clip to read");
  if (samples::same_file(options.output, options.trace)) {
    refuse(options.trace, "the clip to write");
  }
}

std::int64_t verify(const Pass& sequential, const Pass& overlapped, const FilterOptions& filters) {
  if (samples::interrupted()) throw WrongResult("interrupted; no clip was written");
  if (sequential.sink.hashes() != overlapped.sink.hashes()) {
    throw WrongResult(
        "the overlapped run gave other frames than the one in sequence; no clip was written");
  }
  const FrameLayout& layout = overlapped.source.format().layout;
  for (const auto& [number, filtered] : overlapped.sink.kept()) {
    const auto clean = denoise(overlapped.source.kept().at(number), layout, filters);
    if (sharpen(clean, layout, filters) != filtered) {
      throw WrongResult(fmt::format(
          "frame {} is not what the reference makes of it; no clip was written", number));
    }
  }
  return static_cast<std::int64_t>(overlapped.sink.kept().size());
}

void print(const Result& result, const Options& options) {
  const auto& comparison = result.comparison;
  const auto frames = comparison.overlapped.items;
  const auto& layout = result.clip.layout;
  if (options.json) {
    nlohmann::json json = to_json(comparison);
    json["sample"] = "video";
    json["device"] = result.device;
    json["width"] = layout.width;
    json["height"] = layout.height;
    json["frames"] = frames;
    json["verified"] = result.verified;
    json["output"] = options.output.string();
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}: {} frame{} of {}x{}, filtered on {}\n\n{}\n", options.input.filename().string(),
             frames, frames == 1 ? "" : "s", layout.width, layout.height, result.device,
             to_text(comparison, "frames"));
  fmt::print(
      "The frames are the same bit for bit in both orders; {} were compared with the reference.\n",
      result.verified);
  fmt::print("Written: {}\n", options.output.string());
  if (!options.trace.empty()) fmt::print("Trace: {}\n", options.trace.string());
}

void finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw BadOutput(
      fmt::format("the result could not be printed: {}", std::generic_category().message(errno)));
}

int explain(std::exception_ptr failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const antiphon::RunFailed& error) {
    // What an actor of ours threw says all by itself.
    if (error.cause() && error.cause() != failure) return explain(error.cause());
    return say(run_failed, error.what());
  } catch (const antiphon::InvalidGraph& error) {
    return say(bad_input, error.what());
  } catch (const antiphon::Error& error) {
    return say(exit_code_of(error.kind()), error.what());
  } catch (const BadClip& error) {
    return say(bad_input, fmt::format("{}; no clip was written", error.what()));
  } catch (const BadOutput& error) {
    return say(bad_input, error.what());
  } catch (const std::exception& error) {
    return say(run_failed, error.what());
  }
}

}  // namespace video
