#include "executor/workers.hpp"
#include "executor/timer.hpp"

#include <antiphon/error.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace antiphon;
using namespace antiphon::executor;
using namespace std::chrono_literals;

namespace {

// Counts what runs; a task below `chain` posts the next one.
class Counting : public Work {
 public:
  explicit Counting(int expected) : expected_(expected) {}

  void run(Task task, unsigned) noexcept override {
    if (task > 0) workers->post(task - 1);
    if (ran.fetch_add(1) + 1 == expected_) done.set_value();
  }
  bool take_role(unsigned) noexcept override {
    roles.fetch_add(1);
    return false;
  }
  bool offers_role() const noexcept override { return false; }

  Workers* workers = nullptr;
  std::atomic<int> ran{0};
  std::atomic<int> roles{0};
  std::promise<void> done;

 private:
  int expected_;
};

}  // namespace

TEST_CASE("every task that is posted runs once, from whichever thread it comes") {
  for (const unsigned threads : {1U, 2U, 5U}) {
    constexpr int chains = 50;
    constexpr Task length = 200;
    Counting work(chains * (length + 1));
    Workers workers(work, threads, std::chrono::microseconds(5));
    work.workers = &workers;
    for (int i = 0; i < chains; ++i) workers.post(length);
    REQUIRE(work.done.get_future().wait_for(60s) == std::future_status::ready);
    CHECK(work.ran == chains * (length + 1));
  }
}

TEST_CASE("workers that sleep are woken by a post, again and again") {
  class One : public Work {
   public:
    void run(Task, unsigned) noexcept override { ran.fetch_add(1); }
    bool take_role(unsigned) noexcept override { return false; }
    bool offers_role() const noexcept override { return false; }
    std::atomic<int> ran{0};
  } work;
  Workers workers(work, 2, std::chrono::microseconds(5));
  for (int i = 1; i <= 2000; ++i) {
    workers.post(0);
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (work.ran.load() < i && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    REQUIRE(work.ran.load() == i);
  }
}

TEST_CASE("a nudge makes a sleeping worker look for a role") {
  class Roles : public Work {
   public:
    void run(Task, unsigned) noexcept override {}
    bool take_role(unsigned) noexcept override {
      looked.fetch_add(1);
      return false;
    }
    bool offers_role() const noexcept override { return false; }
    std::atomic<int> looked{0};
  } work;
  Workers workers(work, 1, std::chrono::microseconds(5));
  const auto until = std::chrono::steady_clock::now() + 60s;
  for (int i = 0; i < 100; ++i) {
    while (!workers.any_asleep() && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    const auto before = work.looked.load();
    workers.nudge();
    while (work.looked.load() == before && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    REQUIRE(work.looked.load() > before);
  }
}

TEST_CASE("a role that turns up while a worker falls asleep is taken without a nudge") {
  class Late : public Work {
   public:
    void run(Task, unsigned) noexcept override {}
    bool take_role(unsigned) noexcept override {
      if (!there.exchange(false)) return false;
      taken.set_value();
      return true;
    }
    // The worker has looked for a role, has found none and now counts as asleep.
    bool offers_role() const noexcept override {
      if (!offered.exchange(true)) there = true;
      return there;
    }
    mutable std::atomic<bool> offered{false};
    mutable std::atomic<bool> there{false};
    std::promise<void> taken;
  } work;
  Workers workers(work, 1, std::chrono::microseconds(5));
  CHECK(work.taken.get_future().wait_for(60s) == std::future_status::ready);
}

// A limit on memory leaves no room for the sanitizers' own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("where the system gives no more threads, those that began end again") {
  const auto child = fork();
  if (child == 0) {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};  // bytes, stacks included
    setrlimit(RLIMIT_AS, &limit);
    class None : public Work {
     public:
      void run(Task, unsigned) noexcept override {}
      bool take_role(unsigned) noexcept override { return false; }
      bool offers_role() const noexcept override { return false; }
    } work;
    try {
      Workers workers(work, 10'000, std::chrono::microseconds(5));
      _exit(1);
    } catch (const Error& error) {
      _exit(error.kind() == ErrorKind::out_of_memory ? 0 : 2);
    }
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

TEST_CASE("a timer calls at its pace until it is destroyed") {
  std::promise<void> third;
  int calls = 0;
  {
    Timer timer(
        1ms,
        [&] {
          if (++calls == 3) third.set_value();
        },
        [](const std::exception_ptr&) {});
    REQUIRE(third.get_future().wait_for(60s) == std::future_status::ready);
  }
  CHECK(calls >= 3);
}

TEST_CASE("what a timer's function throws is handed over once, and no call follows") {
  std::promise<std::exception_ptr> thrown;
  int calls = 0;
  Timer timer(
      1ms,
      [&] {
        ++calls;
        throw std::runtime_error("tick");
      },
      [&](std::exception_ptr cause) { thrown.set_value(std::move(cause)); });
  auto future = thrown.get_future();
  REQUIRE(future.wait_for(60s) == std::future_status::ready);
  CHECK_THROWS_WITH(std::rethrow_exception(future.get()), "tick");
}
