#include "sync/activity.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using antiphon::sync::Activity;

TEST_CASE("only the first ask must be followed by a begin") {
  Activity activity;
  CHECK(activity.ask());
  CHECK_FALSE(activity.ask());
  activity.begin();
  CHECK(activity.rest());
  CHECK(activity.ask());
}

TEST_CASE("an ask while busy refuses the rest, once") {
  Activity activity;
  CHECK(activity.ask());
  activity.begin();
  CHECK_FALSE(activity.ask());
  CHECK_FALSE(activity.rest());
  CHECK(activity.rest());
}

TEST_CASE("who has retired is not asked again") {
  Activity activity;
  CHECK(activity.ask());
  activity.begin();
  activity.retire();
  CHECK_FALSE(activity.ask());
}

TEST_CASE("no ask is lost between threads, and nobody is looked after twice at once") {
  Activity activity;
  std::atomic<int> given{0};
  std::atomic<int> inside{0};
  constexpr int each = 20'000;
  int seen = 0;  // of whoever is inside
  const auto ask = [&] {
    for (int i = 0; i < each; ++i) {
      given.fetch_add(1);
      if (!activity.ask()) continue;
      activity.begin();
      CHECK(inside.fetch_add(1) == 0);
      do {
        seen = given.load();
      } while ([&] {
        inside.fetch_sub(1);
        if (activity.rest()) return false;
        inside.fetch_add(1);
        return true;
      }());
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(ask);
  for (auto& thread : threads) thread.join();
  CHECK(seen == 3 * each);
}
