#include "as_json.hpp"

#include "comparison.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace samples {

namespace {

constexpr std::int64_t iterations = 20'000;
constexpr std::int64_t first_iterations = 100;  // a driver compiles a kernel when it first runs

// Standard output leads nowhere while this lives.
class Silence {
 public:
  Silence() : kept_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
  }
  ~Silence() {
    std::fflush(stdout);
    if (kept_ < 0) return;
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  int kept_;
};

}  // namespace

bool wants_json(int argc, char** argv) {
  if (argc <= 1) return false;
  if (argc == 2 && std::string_view(argv[1]) == "--json") return true;
  throw antiphon::Error(antiphon::ErrorKind::misuse, "the only option is --json");
}

int print_json(antiphon::Runtime& runtime, const antiphon::Plan& plan, const std::string& sample) {
  using antiphon::Order;
  const auto take = [&](Order order, std::int64_t count) {
    const Silence silence;
    auto report = runtime.run(plan, {.iterations = count, .order = order});
    return Take{count, report.elapsed, report};
  };
  take(Order::sequential, first_iterations);
  Comparison comparison;
  comparison.sequential = take(Order::sequential, iterations);
  comparison.overlapped = take(Order::overlapped, iterations);
  auto json = to_json(comparison);
  json["sample"] = sample;
  json["device"] = runtime.device_name();
  std::printf("%s\n", json.dump(2).c_str());
  if (std::fflush(stdout) == 0) return 0;
  std::fprintf(stderr, "%s: the result could not be printed\n", sample.c_str());
  return 2;
}

}  // namespace samples
