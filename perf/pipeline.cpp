// Three trivial stages, one after the other: what passing a message on costs.
#include "measure.hpp"

#include <antiphon/antiphon.hpp>

#include <oneapi/tbb/parallel_pipeline.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace perf {

namespace {

using namespace antiphon;
using Word = std::uint64_t;

constexpr std::int64_t messages = 10'000'000;
constexpr std::int64_t peers_messages = 1'000'000;  // of those that are slower
constexpr std::int64_t capacity = 1024;

// What the stages do, the same everywhere.
Word make(Word n) {
  return n * 3;
}
Word change(Word x) {
  return x ^ 0x5555;
}
Word add(Word sum, Word y) {
  return sum * 31 + y;
}

// In one loop.
Word right(std::int64_t count) {
  Word sum = 0;
  for (std::int64_t n = 0; n < count; ++n) sum = add(sum, change(make(static_cast<Word>(n))));
  return sum;
}

void expect(bool is_right) {
  if (!is_right) throw std::runtime_error("a wrong answer: the figure would mean nothing");
}

double per_us(std::int64_t count, std::chrono::nanoseconds time) {
  return static_cast<double>(count) / std::chrono::duration<double, std::micro>(time).count();
}

// A bounded ring for one writer and one reader, each of which keeps what it last saw of the other
// (Lamport, 1983; the kept indices: Lee, Bu, Chandranmenon, 2009).
class BareRing {
 public:
  explicit BareRing(std::int64_t size) : slots_(static_cast<std::size_t>(size)) {}

  bool push(Word value) {
    const auto at = written_.load(std::memory_order_relaxed);
    if (at - read_seen_ == slots_.size()) {
      read_seen_ = read_.load(std::memory_order_acquire);
      if (at - read_seen_ == slots_.size()) return false;
    }
    slots_[at % slots_.size()] = value;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool pop(Word& value) {
    const auto at = read_.load(std::memory_order_relaxed);
    if (at == written_seen_) {
      written_seen_ = written_.load(std::memory_order_acquire);
      if (at == written_seen_) return false;
    }
    value = slots_[at % slots_.size()];
    read_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  alignas(64) std::atomic<std::size_t> written_{0};
  std::size_t read_seen_ = 0;
  alignas(64) std::atomic<std::size_t> read_{0};
  std::size_t written_seen_ = 0;
  alignas(64) std::vector<Word> slots_;
};

// Spins, as a worker does, and then lets others on the core.
template <typename Try>
void until(Try done) {
  constexpr auto spin_for = std::chrono::microseconds(5);
  while (!done()) {
    const auto end = std::chrono::steady_clock::now() + spin_for;
    bool is_done = false;
    while (!(is_done = done()) && std::chrono::steady_clock::now() < end) {
    }
    if (is_done) return;
    std::this_thread::yield();
  }
}

double bare_rings() {
  BareRing first(capacity);
  BareRing second(capacity);
  Word sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::thread maker([&] {
    for (std::int64_t n = 0; n < messages; ++n) {
      const auto value = make(static_cast<Word>(n));
      until([&] { return first.push(value); });
    }
  });
  std::thread changer([&] {
    for (std::int64_t n = 0; n < messages; ++n) {
      Word value = 0;
      until([&] { return first.pop(value); });
      value = change(value);
      until([&] { return second.push(value); });
    }
  });
  for (std::int64_t n = 0; n < messages; ++n) {
    Word value = 0;
    until([&] { return second.pop(value); });
    sum = add(sum, value);
  }
  maker.join();
  changer.join();
  const auto time = std::chrono::steady_clock::now() - begin;
  expect(sum == right(messages));
  return per_us(messages, time);
}

double one_tbb() {
  namespace tbb = oneapi::tbb;
  Word sum = 0;
  Word n = 0;
  const auto begin = std::chrono::steady_clock::now();
  tbb::parallel_pipeline(
      static_cast<std::size_t>(capacity),
      tbb::make_filter<void, Word>(tbb::filter_mode::serial_in_order,
                                   [&](tbb::flow_control& control) -> Word {
                                     if (n == static_cast<Word>(peers_messages)) {
                                       control.stop();
                                       return 0;
                                     }
                                     return make(n++);
                                   }) &
          tbb::make_filter<Word, Word>(tbb::filter_mode::serial_in_order,
                                       [](Word x) { return change(x); }) &
          tbb::make_filter<Word, void>(tbb::filter_mode::serial_in_order,
                                       [&](Word y) { sum = add(sum, y); }));
  const auto time = std::chrono::steady_clock::now() - begin;
  expect(sum == right(peers_messages));
  return per_us(peers_messages, time);
}

struct Stages {
  Runtime runtime;
  std::shared_ptr<Word> sum = std::make_shared<Word>(0);
  Plan plan;
  Stages() : plan(runtime.plan(graph())) {}

  Graph graph() const {
    Graph graph{"three stages"};
    const auto maker = graph.cpu(
        "make", [n = Word{0}](Word& x) mutable { x = make(n++); }, out<Word>("x"));
    const auto changer = graph.cpu(
        "change", [](const Word& x, Word& y) { y = change(x); }, in<Word>("x"), out<Word>("y"));
    const auto adder = graph.cpu(
        "add",
        [total = Word{0}, result = sum](const Word& y) mutable { *result = total = add(total, y); },
        in<Word>("y"));
    graph.connect(maker["x"], changer["x"], {.capacity = capacity});
    graph.connect(changer["y"], adder["y"], {.capacity = capacity});
    return graph;
  }

  double run() {
    const auto report = runtime.run(plan, {.iterations = messages});
    expect(*sum == right(messages));
    return per_us(messages, report.elapsed);
  }
};

Contest contest(const char* name, double floor, double (*other)()) {
  Contest result;
  result.row = {name, "million/s", false, {}, floor};
  result.ours = [state = std::make_shared<Stages>()] { return state->run(); };
  result.other = other;
  return result;
}

}  // namespace

std::vector<Contest> pipelines() {
  return {
      contest("three trivial CPU stages, beside three threads over bare rings", 1.0, bare_rings),
      contest("three trivial CPU stages, beside oneTBB's parallel_pipeline", 7.0, one_tbb)};
}

}  // namespace perf
