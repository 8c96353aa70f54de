// What long runs have in common: memory and time are looked at on the way.
#pragma once

#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>

namespace load {

inline std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Asked with every message that arrives; looks up at a tenth, the half and the end of the run.
class Witness {
 public:
  explicit Witness(std::int64_t messages) : messages_(messages) {}

  void arrived(std::int64_t count = 1) {
    const auto before = seen_;
    seen_ += count;
    for (const auto [at, mark] :
         {Point{messages_ / 10, &tenth_}, Point{messages_ / 2, &half_}, Point{messages_, &end_}}) {
      if (before < at && seen_ >= at) *mark = {resident_bytes(), Clock::now()};
    }
  }
  void check() const {
    REQUIRE(seen_ == messages_);
    // What the C library keeps for itself comes and goes.
    CHECK(end_.bytes - tenth_.bytes < 2'000'000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // 40 % of the messages, then 50 %: other work on this machine may slow one of them down, but
    // not by so much.
    const std::chrono::duration<double> first = half_.time - tenth_.time;
    const std::chrono::duration<double> second = end_.time - half_.time;
    CHECK(second / 5 < 4 * first / 4);
#endif
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Mark {
    std::int64_t bytes = 0;
    Clock::time_point time;
  };
  struct Point {
    std::int64_t at;
    Mark* mark;
  };
  std::int64_t messages_;
  std::int64_t seen_ = 0;
  Mark tenth_;
  Mark half_;
  Mark end_;
};

}  // namespace load
