// What only a device made of threads can be made to do: fail on demand, block, and say what it was
// asked.
#include "device/host/host_device.hpp"
#include "device/subject.hpp"

#include <array>
#include <chrono>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

using namespace antiphon;
using namespace antiphon::device;
using namespace std::chrono_literals;

namespace {

struct Bench {
  explicit Bench(host::HostOptions options) {
    if (!options.kernels.contains("work")) options.kernels["work"] = [](auto, auto) {};
    device = host::open(std::move(options)).value_or_throw();
    kernel = device->make_kernel({.name = "work", .spirv = {}, .constants = {}, .bindings = 0})
                 .value_or_throw();
    queue = device->make_queue(0, "timeline").value_or_throw();
  }
  Batch batch(std::size_t dispatches = 1) const {
    Batch made;
    made.dispatches.assign(dispatches, {.kernel = kernel.get()});
    return made;
  }

  std::shared_ptr<host::HostDevice> device;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Queue> queue;
};

}  // namespace

TEST_CASE("a submit that fails promises no value, and the next one takes it") {
  Bench bench({.faults = {.failing_submit = 2}});
  CHECK(submit(*bench.queue, {bench.batch()}) == 1);
  const auto failed = bench.queue->submit(std::array{bench.batch(), bench.batch()}, false);
  REQUIRE(!failed);
  CHECK(failed.failure().kind == ErrorKind::out_of_memory);
  const auto never = bench.queue->wait(2, long_enough);
  REQUIRE(!never);
  CHECK(never.failure().kind == ErrorKind::misuse);
  CHECK(submit(*bench.queue, {bench.batch()}) == 2);
  wait_for(*bench.queue, 2);
  CHECK(bench.device->recorded().size() == 2);
}

TEST_CASE("a lost device says the same to every later call") {
  Bench bench({.faults = {.losing_batch = 2}});
  CHECK(submit(*bench.queue, {bench.batch()}) == 1);
  wait_for(*bench.queue, 1);
  CHECK(submit(*bench.queue, {bench.batch(), bench.batch()}) == 3);
  const auto lost = bench.queue->wait(3, long_enough);
  REQUIRE(!lost);
  CHECK(lost.failure().kind == ErrorKind::device_lost);
  CHECK(lost.failure().message.find("batch 2 of queue 'timeline'") != std::string::npos);
  const auto same = [&](const auto& result) {
    REQUIRE(!result);
    CHECK(result.failure().kind == ErrorKind::device_lost);
    CHECK(result.failure().message == lost.failure().message);
  };
  same(bench.queue->completed());
  same(bench.queue->wait(1, 0ns));
  same(bench.queue->submit(std::array{bench.batch()}, false));
  same(bench.queue->collect(1));
  same(bench.device->make_buffer({"late", 64, HostAccess::none}));
  same(bench.device->make_queue(0, "late"));
}

TEST_CASE("a waiter that sleeps hears of the loss") {
  std::latch released(1);
  host::HostOptions options{.faults = {.losing_batch = 2}};
  options.kernels["work"] = [&](auto, auto) { released.wait(); };
  Bench bench(std::move(options));
  CHECK(submit(*bench.queue, {bench.batch(), bench.batch()}) == 2);
  std::optional<Result<WaitResult>> heard;
  std::thread waiter([&] { heard = bench.queue->wait(2, long_enough); });
  released.count_down();
  waiter.join();
  REQUIRE(!*heard);
  CHECK(heard->failure().kind == ErrorKind::device_lost);
}

TEST_CASE("the n-th buffer finds no memory, and its channel is named") {
  Bench bench({.faults = {.failing_buffer = 2}});
  CHECK(bench.device->make_buffer({"first", 64, HostAccess::none}));
  const auto failed = bench.device->make_buffer({"a.out -> b.in", 4096, HostAccess::none});
  REQUIRE(!failed);
  CHECK(failed.failure().kind == ErrorKind::out_of_memory);
  CHECK(failed.failure().message.find("a.out -> b.in") != std::string::npos);
  CHECK(failed.failure().message.find("4096") != std::string::npos);
  CHECK(bench.device->make_buffer({"third", 64, HostAccess::none}));
}

TEST_CASE("memory comes back when a buffer goes") {
  Bench bench({.memory = 1024});
  for (int i = 0; i < 3; ++i) {
    const auto most = bench.device->make_buffer({"most", 1000, HostAccess::none});
    REQUIRE(most);
    CHECK(!bench.device->make_buffer({"more", 100, HostAccess::none}));
  }
}

TEST_CASE("while a kernel blocks, its batch and all later ones are not complete") {
  std::latch released(1);
  host::HostOptions options;
  options.kernels["work"] = [&](auto, auto) { released.wait(); };
  Bench bench(std::move(options));
  CHECK(submit(*bench.queue, {bench.batch(), bench.batch()}) == 2);
  for (const std::uint64_t value : {1U, 2U}) {
    const auto early = bench.queue->wait(value, 1ms);
    REQUIRE(early);
    CHECK(*early == WaitResult::timed_out);
  }
  const auto completed = bench.queue->completed();
  REQUIRE(completed);
  CHECK(*completed == 0);
  released.count_down();
  wait_for(*bench.queue, 2);
}

TEST_CASE("queues of a device run at the same time") {
  std::latch both(2);
  host::HostOptions options{.queues = 2};
  options.kernels["work"] = [&](auto, auto) { both.arrive_and_wait(); };
  Bench bench(std::move(options));
  const auto other = bench.device->make_queue(1, "other").value_or_throw();
  CHECK(submit(*bench.queue, {bench.batch()}) == 1);
  CHECK(submit(*other, {bench.batch()}) == 1);
  wait_for(*bench.queue, 1);
  wait_for(*other, 1);
}

TEST_CASE("timelines on one queue take turns in the order of submission") {
  std::vector<int> order;
  host::HostOptions options;
  options.kernels["work"] = [&](auto, auto groups) {
    order.push_back(static_cast<int>(groups[0]));
  };
  Bench bench(std::move(options));
  const auto other = bench.device->make_queue(0, "other").value_or_throw();
  for (std::uint32_t i = 1; i <= 6; ++i) {
    auto batch = bench.batch();
    batch.dispatches[0].groups[0] = i;
    submit(i % 2 == 0 ? *other : *bench.queue, {batch});
  }
  wait_for(*other, 3);
  wait_for(*bench.queue, 3);
  CHECK(order == std::vector{1, 2, 3, 4, 5, 6});
}

TEST_CASE("what was submitted can be read back, with its barriers") {
  Bench bench({.profile = {.name = "narrow", .driver = "threads", .storage_offset_alignment = 32}});
  auto batch = bench.batch(3);
  batch.dispatches[1].before = Barrier::execution;
  batch.dispatches[2].before = Barrier::memory;
  batch.dispatches[2].groups = {4, 2, 1};
  batch.host_reads = true;
  const auto last = submit(*bench.queue, {bench.batch(), batch});
  wait_for(*bench.queue, last);
  const auto recorded = bench.device->recorded();
  REQUIRE(recorded.size() == 4);
  CHECK(recorded[0].value == 1);
  CHECK(!recorded[0].host_reads);
  CHECK(recorded[1].before == Barrier::none);
  CHECK(recorded[2].before == Barrier::execution);
  CHECK(recorded[3].before == Barrier::memory);
  CHECK(recorded[3].groups == std::array<std::uint32_t, 3>{4, 2, 1});
  CHECK(recorded[3].value == 2);
  CHECK(recorded[3].host_reads);
  CHECK(recorded[3].kernel == "work");
  CHECK(recorded[3].timeline == "timeline");
}

TEST_CASE("a device that could not work is not made") {
  CHECK(!host::open({.queues = 0}));
  host::HostOptions unaligned;
  unaligned.profile.storage_offset_alignment = 0;
  CHECK(!host::open(unaligned));
  Bench bench({});
  const auto unknown =
      bench.device->make_kernel({.name = "unknown", .spirv = {}, .constants = {}, .bindings = 0});
  REQUIRE(!unknown);
  CHECK(unknown.failure().message.find("unknown") != std::string::npos);
}
