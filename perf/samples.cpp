// The samples as people run them: frames per second overlapped, beside the same graph in sequence.
#include "measure.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace perf {

namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("can't run " + command);
  std::string text;
  std::array<char, 4096> part{};
  while (const auto n = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error("failed: " + command);
  return text;
}

// As one word of a shell's command.
std::string word(const std::filesystem::path& text) {
  std::string result = "'";
  for (const char c : text.string()) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

std::vector<Contest> samples(const std::filesystem::path& video,
                             const std::filesystem::path& clip) {
  Contest contest;
  contest.row = {"video: frames/s overlapped, beside in sequence (device on one thread)",
                 "1/s",
                 false,
                 {},
                 1.6};
  contest.repetitions = 3;
  contest.warm_up = false;  // the program warms up itself
  // One process runs both, in turns; the second figure of each pair comes from the same run.
  auto sequential = std::make_shared<double>(0);
  contest.ours = [video, clip, sequential] {
    if (clip.empty()) throw std::runtime_error("no clip: give --clip FILE");
    const auto output =
        std::filesystem::temp_directory_path() / fmt::format("antiphon_bench_{}.mp4", ::getpid());
    const auto json = nlohmann::json::parse(
        output_of(fmt::format("LP_NUM_THREADS=0 {} --input {} --output {} --json", word(video),
                              word(clip), word(output))));
    std::error_code ignored;
    std::filesystem::remove(output, ignored);
    *sequential = json.at("sequential_per_s").get<double>();
    return json.at("overlapped_per_s").get<double>();
  };
  contest.other = [sequential] { return *sequential; };
  return {contest};
}

}  // namespace perf
