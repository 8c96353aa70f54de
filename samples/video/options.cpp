#include "options.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace video {

namespace {

std::filesystem::path beside_program(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

constexpr auto description =
    "Filters a clip: the CPU decodes, the GPU removes noise and sharpens, the CPU encodes. Runs "
    "the same graph "
    "twice, in sequence and overlapped, checks that the results are the same, compares a few "
    "frames with a "
    "reference, and says how fast both were. The sound is left out.";

constexpr auto footer =
    "The filters should cost about as much as decoding and encoding, or there is little to "
    "overlap: --radius "
    "makes the filters dearer, a slower --preset the encoder.\n"
    "Exits with 0; 1 when the run failed or its result was wrong; 2 when the call, the clip or the "
    "graph was.";

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& exit_code) {
  Options options;
  options.graph = beside_program("video.yaml");
  CLI::App app{description, "video"};
  app.footer(footer);
  app.get_formatter()->column_width(28);

  app.add_option("--input", options.input, "The clip")->required()->type_name("FILE");
  app.add_option("--output", options.output, "The filtered clip; its ending says the container")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--graph", options.graph, "The graph; unless said, video.yaml beside this program")
      ->type_name("FILE");
  app.add_option("--trace", options.trace, "Writes a Chrome/Perfetto trace of the overlapped run")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Prints the result as JSON");
  app.add_option("--frames", options.frames,
                 "So many frames, from the start again if need be; 0: the clip once")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--ahead", options.ahead,
                 "So many frames may lie between two actors; 0: as the graph says")
      ->check(CLI::Range(0, 1024))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--verify", options.verify, "So many frames are compared with the reference")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->capture_default_str();

  app.add_option("--width", options.decoder.width,
                 "Scales the clip to this width first; 0: as it is")
      ->check(CLI::Range(0, 16384))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--radius", options.filters.radius, "Of the denoiser's window, samples")
      ->check(CLI::Range(1, 4))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--strength", options.filters.strength,
                 "Differences from here on are edges, and stay")
      ->check(CLI::Range(1, 128))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--amount", options.filters.amount, "Of sharpening, in sixteenths")
      ->check(CLI::Range(0, 64))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--preset", options.encoder.preset, "Of libx264: slower ones make smaller files")
      ->check(CLI::IsMember({"ultrafast", "superfast", "veryfast", "faster", "fast", "medium",
                             "slow", "slower", "veryslow"}))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--quality", options.encoder.quality, "Of the encoder: 0 is best, 51 is worst")
      ->check(CLI::Range(0, 51))
      ->type_name("N")
      ->capture_default_str();

  int codec_threads = 1;
  app.add_option("--codec-threads", codec_threads, "Of the decoder, and of the encoder")
      ->check(CLI::Range(1, 64))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "Threads for the CPU actors; 0: as many as the machine has")
      ->check(CLI::Range(0, 256))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--device", options.device, "A part of the wanted device's name")
      ->type_name("NAME");
  app.add_option("--device-threads", options.device_threads,
                 "For Mesa's software device: LP_NUM_THREADS, unless the environment has it. 0: "
                 "one thread, "
                 "which leaves the other cores to the CPU actors")
      ->check(CLI::Range(0, 256))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--validation", options.validation, "Runs under the Vulkan validation layer");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  options.decoder.threads = codec_threads;
  options.encoder.threads = codec_threads;
  return options;
}

}  // namespace video
