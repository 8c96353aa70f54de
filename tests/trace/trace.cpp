#include "trace/log.hpp"
#include "trace/recorder.hpp"

#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace antiphon;

namespace {

struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() /
                               ("antiphon_trace_" + std::to_string(::getpid()) + ".json");
  ~TemporaryFile() { std::filesystem::remove(path); }
};

}  // namespace

TEST_CASE("a trace is JSON with a lane per actor and an event per firing") {
  trace::Recorder recorder(2);
  recorder.add(0, {0, 7, 1'000'500, 1'002'000});
  recorder.add(1, {1, 7, 1'002'000, 1'005'000});
  const TemporaryFile file;
  REQUIRE(
      recorder.write(file.path, {{"decode \"x\"\xff", false}, {"filter", true}}, "g", 1'000'000));
  std::ifstream in(file.path);
  const auto json = nlohmann::json::parse(in);
  std::vector<nlohmann::json> events;
  std::vector<std::string> lanes;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") == "X") events.push_back(event);
    if (event.at("name") == "thread_name") lanes.push_back(event.at("args").at("name"));
  }
  REQUIRE(lanes.size() == 2);
  CHECK(lanes[1] == "filter (gpu)");
  REQUIRE(events.size() == 2);
  CHECK(events[0].at("ts") == doctest::Approx(0.5));
  CHECK(events[0].at("dur") == doctest::Approx(1.5));
  CHECK(events[1].at("tid") == 2);
  CHECK(events[1].at("args").at("firing") == 7);
}

TEST_CASE("a trace that can't be written leaves nothing behind") {
  trace::Recorder recorder(1);
  const auto status = recorder.write("/nonexistent/folder/trace.json", {}, "g", 0);
  REQUIRE_FALSE(status);
  CHECK(status.failure().message == "can't write the trace to '/nonexistent/folder/trace.json'");
  CHECK_FALSE(trace::Recorder::writable("/nonexistent/folder/trace.json"));
  CHECK_FALSE(trace::Recorder::writable(std::filesystem::temp_directory_path()));
  const TemporaryFile file;
  CHECK(trace::Recorder::writable(file.path));
  CHECK_FALSE(std::filesystem::exists(file.path));
}

TEST_CASE("the log tells its sink what reaches its level, and nothing else") {
  std::vector<std::string> heard;
  set_log(LogLevel::info, [&](LogLevel level, std::string_view message) {
    heard.push_back((level == LogLevel::warning ? "w:" : "i:") + std::string(message));
  });
  trace::log(LogLevel::debug, "too small");
  trace::log(LogLevel::info, "a {brace}");
  trace::log(LogLevel::warning, "look");
  CHECK(heard == std::vector<std::string>{"i:a {brace}", "w:look"});
  CHECK(trace::logs(LogLevel::error));
  CHECK_FALSE(trace::logs(LogLevel::debug));
  set_log(LogLevel::warning);
}

TEST_CASE("a trace goes into a pipe that is there, and leaves it one") {
  const TemporaryFile file;
  REQUIRE(mkfifo(file.path.c_str(), 0600) == 0);
  const auto reader = open(file.path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  CHECK(trace::Recorder::writable(file.path));
  const trace::Recorder recorder(1);
  CHECK(recorder.write(file.path, {{"actor", false}}, "g", 0));
  std::array<char, 4096> text{};
  const auto got = read(reader, text.data(), text.size());
  REQUIRE(got > 0);
  close(reader);
  CHECK(nlohmann::json::parse(text.begin(), text.begin() + got).contains("traceEvents"));
  CHECK(std::filesystem::is_fifo(file.path));
}
