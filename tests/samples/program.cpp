// The video sample as people run it: its exit codes, its words, and what it leaves in the folder.
#include "clips.hpp"
#include "video/decoder.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string error;
};

Outcome run(const clips::Folder& folder, const std::string& arguments,
            const std::string& environment = "") {
  const auto errors = folder / "stderr";
  const auto command = fmt::format("cd '{}' && {} '{}' {} 2>'{}'", (folder / "").string(),
                                   environment, VIDEO_PROGRAM, arguments, errors.string());
  Outcome outcome;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> part{};
  while (const auto n = std::fread(part.data(), 1, part.size(), pipe))
    outcome.out.append(part.data(), n);
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  outcome.error = clips::bytes(errors);
  std::filesystem::remove(errors);
  return outcome;
}

// The times of all frames, in seconds.
std::vector<double> times(const std::filesystem::path& file) {
  video::Decoder decoder{file, {}};
  std::vector<std::uint32_t> frame(decoder.format().layout.words());
  std::vector<double> result;
  for (std::int64_t time = 0; decoder.read(frame, time);) {
    result.push_back(static_cast<double>(time) * av_q2d(decoder.format().time_base));
  }
  return result;
}

bool is_one_message(const std::string& text) {
  return text.starts_with("video: ") && text.find("video: ", 1) == std::string::npos;
}

}  // namespace

TEST_CASE(
    "a clip is filtered, verified and measured, with rows that need padding and rows that don't") {
  for (const std::uint32_t width : {64u, 70u}) {
    const clips::Folder folder;
    clips::write(folder / "clip.mp4", clips::format(width, 46), 12);
    const auto outcome =
        run(folder, "--input clip.mp4 --json --verify 5 --trace trace.json --validation");
    CAPTURE(outcome.error);
    REQUIRE(outcome.exit_code == 0);
    CHECK(outcome.error == "");
    const auto json = nlohmann::json::parse(outcome.out);
    CHECK(json.at("sequential_per_s").get<double>() > 0);
    CHECK(json.at("overlapped_per_s").get<double>() > 0);
    CHECK(json.at("ratio").get<double>() ==
          doctest::Approx(json.at("overlapped_per_s").get<double>() /
                          json.at("sequential_per_s").get<double>()));
    CHECK(json.at("sequential_busy").at("gpu").get<double>() > 0);
    CHECK(json.at("frames") == 12);
    CHECK(json.at("verified") == 5);
    CHECK(times(folder / "filtered.mp4").size() == 12);
    CHECK(nlohmann::json::accept(clips::bytes(folder / "trace.json")));
    CHECK(folder.entries() == 3);
  }
}

TEST_CASE("a clip shorter than what was asked for starts again, and its times go on") {
  const clips::Folder folder;
  clips::write(folder / "clip.mp4", clips::format(64, 48), 5);
  const auto outcome = run(folder, "--input clip.mp4 --output longer.mkv --frames 12");
  CAPTURE(outcome.error);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.find("12 frames of 64x48") != std::string::npos);
  const auto seconds = times(folder / "longer.mkv");
  REQUIRE(seconds.size() == 12);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    CHECK(seconds[i] == doctest::Approx(0.04 * static_cast<double>(i)).epsilon(0.001));
  }
}

TEST_CASE(
    "what cannot be used is told in one message, exits with 2 and leaves the folder as it was") {
  const clips::Folder folder;
  clips::write(folder / "clip.mp4", clips::format(64, 48), 30);
  const auto whole = clips::with_index_first(clips::bytes(folder / "clip.mp4"));
  clips::write_bytes(folder / "part.mp4", whole.substr(0, whole.size() * 3 / 4));
  clips::write_bytes(folder / "silence.wav", clips::silent_wav());
  clips::write_bytes(folder / "filtered.mp4", "the old one");
  clips::write_bytes(folder / "not.yaml", "format: 1\ngraph: [");
  const auto entries = folder.entries();

  struct Case {
    std::string arguments;
    std::string says;
  };
  for (const Case& bad : std::vector<Case>{
           {"--input part.mp4", "part.mp4: cut off or damaged after frame "},
           {"--input silence.wav", "silence.wav: there is no video in it"},
           {"--input missing.mp4", "missing.mp4: there is no such file"},
           {"--input .", ".: this is a folder"},
           {"--input clip.mp4 --output clip.mp4", "it is the clip to read"},
           {"--input clip.mp4 --trace clip.mp4", "it is the clip to read"},
           {"--input clip.mp4 --output new.mp4 --trace new.mp4", "it is the clip to write"},
           {"--input clip.mp4 --output new.webm", "do not take this video"},
           {"--input /dev/null", "this is no ordinary file"},
           {"--input clip.mp4 --output /dev/null",
            "cannot write /dev/null: this is no ordinary file"},
           {"--input clip.mp4 --output no/such/folder.mp4", "cannot write no/such/folder.mp4: "},
           {"--input clip.mp4 --output clip.text", "no container for video ends in '.text'"},
           {"--input clip.mp4 --graph missing.yaml", "missing.yaml"},
           {"--input clip.mp4 --graph not.yaml", "not.yaml:"},
       }) {
    CAPTURE(bad.arguments);
    const auto outcome = run(folder, bad.arguments);
    CAPTURE(outcome.error);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out == "");
    CHECK(is_one_message(outcome.error));
    CHECK(outcome.error.find(bad.says) != std::string::npos);
    CHECK(clips::bytes(folder / "filtered.mp4") == "the old one");
    CHECK(folder.entries() == entries);
  }
}

TEST_CASE("a wrong call says what is wrong and exits with 2") {
  const clips::Folder folder;
  for (const auto* arguments :
       {"", "--input", "--input x --radius 5", "--input x --preset no", "--input x y"}) {
    CAPTURE(arguments);
    const auto outcome = run(folder, arguments);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.error != "");
    CHECK(outcome.out == "");
  }
  CHECK(run(folder, "--help").exit_code == 0);
}

TEST_CASE("without a Vulkan driver it says so, exits with 1 and writes nothing") {
  const clips::Folder folder;
  clips::write(folder / "clip.mp4", clips::format(64, 48), 3);
  const auto none = (folder / "none.json").string();
  const auto outcome = run(folder, "--input clip.mp4",
                           fmt::format("VK_DRIVER_FILES='{0}' VK_ICD_FILENAMES='{0}'", none));
  CHECK(outcome.exit_code == 1);
  CHECK(is_one_message(outcome.error));
  CHECK(outcome.error.find("Vulkan") != std::string::npos);
  CHECK(folder.entries() == 1);
}
