// What every device does. Linked once with a device made of threads, once with Vulkan.
#include "device/subject.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

using namespace antiphon;
using namespace antiphon::device;
using namespace std::chrono_literals;

namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Steps of one dispatch of "churn". Mesa's software device leaves any loop after 65,535 rounds.
constexpr int some_steps = 60'000;

// So many dispatches one after another that no thread of ours is kept from its turn as long as this
// device is busy with them: some tenths of a second.
Batch slow_batch(Subject& subject, const Kernel& churn, const Bindings& bindings) {
  const Dispatch dispatch{Barrier::memory, &churn, &bindings};
  const auto queue = make_queue(subject, "measures churn");
  // The shortest of a few: the first time, some drivers compile the kernel, and a busy machine
  // takes a software device off its core.
  std::int64_t shortest_ns = INT64_MAX;
  for (int round = 0; round < 6; ++round) {
    const auto value = submit(*queue, {{{dispatch}, true}}, true);
    wait_for(*queue, value);
    const auto spans = queue->collect(value);
    REQUIRE(spans);
    REQUIRE(!(*spans).empty());
    shortest_ns = std::min(shortest_ns, (*spans)[0].end_ns - (*spans)[0].begin_ns);
  }
  constexpr std::int64_t wanted_ns = 400'000'000;
  Batch batch;
  batch.host_reads = true;
  batch.dispatches.assign(
      static_cast<std::size_t>(wanted_ns / std::max<std::int64_t>(shortest_ns, 10'000)), dispatch);
  return batch;
}

std::uint32_t groups_for(std::size_t count) {
  return static_cast<std::uint32_t>((count + 63) / 64);
}

}  // namespace

TEST_CASE("a device says what it can do") {
  const auto subject = open_subject();
  const auto& profile = subject->device().profile();
  CHECK(!profile.name.empty());
  CHECK(profile.storage_offset_alignment > 0);
  CHECK((profile.storage_offset_alignment & (profile.storage_offset_alignment - 1)) == 0);
  CHECK(profile.max_storage_range >= std::size_t{1} << 27);
  CHECK(profile.max_workgroup_invocations >= 128);
  CHECK(profile.max_group_count[0] >= 65535);
  CHECK(profile.max_bindings >= 4);
  CHECK(subject->device().queue_count() >= 1);
}

TEST_CASE("a buffer is mapped where the host has a use for it") {
  const auto subject = open_subject();
  for (const auto access : {HostAccess::write, HostAccess::read, HostAccess::read_write}) {
    auto buffer = subject->device().make_buffer({"mapped", 1000, access});
    REQUIRE(buffer);
    CHECK((*buffer)->size() == 1000);
    REQUIRE((*buffer)->mapped() != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>((*buffer)->mapped()) % 64 == 0);
    (*buffer)->mapped()[999] = std::byte{7};
    CHECK((*buffer)->mapped()[999] == std::byte{7});
  }
  auto hidden = subject->device().make_buffer({"hidden", 1000, HostAccess::none});
  REQUIRE(hidden);
  CHECK((*hidden)->size() == 1000);
  CHECK((*hidden)->mapped() == nullptr);
}

TEST_CASE("a buffer and a window may be empty") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "length_of");
  auto empty = subject->device().make_buffer({"empty", 0, HostAccess::read_write});
  REQUIRE(empty);
  CHECK((*empty)->size() == 0);
  Ints y(*subject, 1, -1);
  const auto bindings = bind(*subject, *kernel, {{empty->get(), 0, 0}, y.all()});
  const auto queue = make_queue(*subject);
  wait_for(*queue, submit(*queue, {{{{Barrier::none, kernel.get(), bindings.get()}}, true}}));
  CHECK(y[0] >= 0);
  CHECK(y[0] <= 1);
}

TEST_CASE("a kernel doubles what the host wrote, and the host reads it") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "double_ints");
  Ints x(*subject, 1000, 5, 3);
  Ints y(*subject, 1000, -1);
  const auto bindings = bind(*subject, *kernel, {x.all(), y.all()});
  const auto queue = make_queue(*subject);
  const auto completed = queue->completed();
  REQUIRE(completed);
  CHECK(*completed == 0);
  const auto value = submit(
      *queue, {{{{Barrier::none, kernel.get(), bindings.get(), {groups_for(1000), 1, 1}}}, true}});
  CHECK(value == 1);
  wait_for(*queue, value);
  for (int i = 0; i < 1000; ++i) CHECK(y[static_cast<std::size_t>(i)] == 2 * (5 + 3 * i));
}

TEST_CASE("behind a memory barrier a dispatch sees what the one before it wrote") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 4096, 0, 1);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject);
  Batch batch;
  batch.host_reads = true;
  for (int i = 0; i < 100; ++i) {
    batch.dispatches.push_back({i == 0 ? Barrier::none : Barrier::memory,
                                kernel.get(),
                                bindings.get(),
                                {groups_for(4096), 1, 1}});
  }
  wait_for(*queue, submit(*queue, {batch}));
  for (int i = 0; i < 4096; ++i) CHECK(x[static_cast<std::size_t>(i)] == i + 100);
}

TEST_CASE("a memory barrier reaches back over earlier submissions") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 256);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject);
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    last = submit(
        *queue,
        {{{{Barrier::memory, kernel.get(), bindings.get(), {groups_for(256), 1, 1}}}, true}});
    CHECK(last == static_cast<std::uint64_t>(i) + 1);
  }
  wait_for(*queue, last);
  for (std::size_t i = 0; i < 256; ++i) CHECK(x[i] == 50);
}

TEST_CASE("an execution barrier keeps a writer behind an earlier reader") {
  const auto subject = open_subject();
  const auto twice = make_kernel(*subject, "double_ints");
  const auto increment = make_kernel(*subject, "increment");
  Ints x(*subject, 4096, 1);
  Ints y(*subject, 4096);
  const auto read = bind(*subject, *twice, {x.all(), y.all()});
  const auto overwrite = bind(*subject, *increment, {x.all()});
  const auto queue = make_queue(*subject);
  wait_for(
      *queue,
      submit(*queue,
             {{{{Barrier::none, twice.get(), read.get(), {groups_for(4096), 1, 1}},
                {Barrier::execution, increment.get(), overwrite.get(), {groups_for(4096), 1, 1}}},
               true}}));
  for (std::size_t i = 0; i < 4096; ++i) {
    CHECK(y[i] == 2);
    CHECK(x[i] == 2);
  }
}

TEST_CASE("batches of one submit complete one by one, each with a value of its own") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "double_ints");
  Ints x(*subject, 64, 0, 1);
  std::vector<Ints> outputs;
  std::vector<std::unique_ptr<Bindings>> bindings;
  std::vector<Batch> batches;
  for (int i = 0; i < 5; ++i) {
    outputs.emplace_back(*subject, 64, -1);
    bindings.push_back(bind(*subject, *kernel, {x.all(), outputs.back().all()}));
    batches.push_back({{{Barrier::none, kernel.get(), bindings.back().get()}}, true});
  }
  const auto queue = make_queue(*subject);
  CHECK(submit(*queue, {}) == 0);
  CHECK(submit(*queue, batches) == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    wait_for(*queue, i + 1);
    const auto completed = queue->completed();
    REQUIRE(completed);
    CHECK(*completed >= i + 1);
    CHECK(outputs[i][63] == 126);
    CHECK(queue->collect(i + 1));
  }
  CHECK(submit(*queue, batches) == 10);
  wait_for(*queue, 10);
}

TEST_CASE("a wait that runs out of time is no completion") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "churn");
  Ints steps(*subject, 1, some_steps);
  Ints y(*subject, 1);
  const auto bindings = bind(*subject, *kernel, {steps.all(), y.all()});
  const auto queue = make_queue(*subject);
  const auto value = submit(*queue, {slow_batch(*subject, *kernel, *bindings)});
  for (const auto time : {0ns, std::chrono::nanoseconds(100us)}) {
    const auto early = queue->wait(value, time);
    REQUIRE(early);
    CHECK(*early == WaitResult::timed_out);
  }
  const auto completed = queue->completed();
  REQUIRE(completed);
  CHECK(*completed == 0);
  wait_for(*queue, value);
  CHECK(y[0] != 0);
}

TEST_CASE("a wait for what was never submitted is refused at once") {
  const auto subject = open_subject();
  const auto queue = make_queue(*subject, "impatient");
  const auto result = queue->wait(1, long_enough);
  REQUIRE(!result);
  CHECK(result.failure().kind == ErrorKind::misuse);
  CHECK(result.failure().message.find("impatient") != std::string::npos);
}

TEST_CASE("several threads wait for one queue while another submits") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 64);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject);
  constexpr std::uint64_t count = 200;
  std::atomic<std::uint64_t> promised{0};
  std::array<bool, 2> right{};
  std::vector<std::thread> waiters;
  for (std::size_t t = 0; t < 2; ++t) {
    waiters.emplace_back([&, t] {
      bool fine = true;
      std::uint64_t seen = 0;
      for (std::uint64_t value = 1; value <= count && fine; ++value) {
        while (promised.load() < value) promised.wait(value - 1);
        const auto reached = queue->wait(value, long_enough);
        const auto completed = queue->completed();
        fine = reached && *reached == WaitResult::reached && completed && *completed >= value &&
               *completed >= seen;
        if (fine) seen = *completed;
      }
      right[t] = fine;
    });
  }
  bool submitted = true;
  for (std::uint64_t value = 1; value <= count; ++value) {
    const auto promise = queue->submit(
        std::array{Batch{{{Barrier::memory, kernel.get(), bindings.get()}}, true}}, false);
    submitted = submitted && promise && *promise == value;
    promised.store(value);
    promised.notify_all();
  }
  for (auto& waiter : waiters) waiter.join();
  CHECK(submitted);
  CHECK(right[0]);
  CHECK(right[1]);
  CHECK(x[0] == static_cast<int>(count));
}

TEST_CASE("measured dispatches say when they ran, in order, on the host's clock") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "churn");
  Ints steps(*subject, 1, some_steps);
  Ints y(*subject, 1);
  const auto bindings = bind(*subject, *kernel, {steps.all(), y.all()});
  const auto queue = make_queue(*subject);
  const auto before = now_ns();
  const Dispatch first{Barrier::none, kernel.get(), bindings.get()};
  const Dispatch later{Barrier::memory, kernel.get(), bindings.get()};
  const auto last = submit(*queue, {{{first, later, later}, true}, {{later}, true}}, true);
  wait_for(*queue, last);
  const auto after = now_ns();
  auto spans = queue->collect(last - 1);
  REQUIRE(spans);
  REQUIRE((*spans).size() == 3);
  const auto more = queue->collect(last);
  REQUIRE(more);
  REQUIRE((*more).size() == 1);
  (*spans).push_back((*more)[0]);
  auto earlier = before;
  for (const auto& span : *spans) {
    CHECK(span.begin_ns >= earlier);
    CHECK(span.end_ns > span.begin_ns);
    earlier = span.end_ns;
  }
  CHECK(earlier <= after);
}

TEST_CASE("asking when a batch ran does not wait for the batches after it") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "churn");
  Ints steps(*subject, 1, some_steps);
  Ints y(*subject, 1);
  const auto bindings = bind(*subject, *kernel, {steps.all(), y.all()});
  const auto slow = slow_batch(*subject, *kernel, *bindings);
  const auto queue = make_queue(*subject);
  const auto last =
      submit(*queue, {{{{Barrier::none, kernel.get(), bindings.get()}}, true}, slow}, true);
  wait_for(*queue, last - 1);
  const auto spans = queue->collect(last - 1);
  REQUIRE(spans);
  CHECK((*spans).size() == 1);
  const auto completed = queue->completed();
  REQUIRE(completed);
  CHECK(*completed == last - 1);
  wait_for(*queue, last);
}

TEST_CASE("what is not measured has no spans, and is collected once, in order") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 64);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject);
  const Batch batch{{{Barrier::memory, kernel.get(), bindings.get()}}, true};
  const auto last = submit(*queue, {batch, batch});
  wait_for(*queue, last);
  CHECK(!queue->collect(2));
  const auto spans = queue->collect(1);
  REQUIRE(spans);
  CHECK((*spans).empty());
  const auto twice = queue->collect(1);
  REQUIRE(!twice);
  CHECK(twice.failure().kind == ErrorKind::misuse);
  CHECK(queue->collect(2));
}

TEST_CASE("batches of any size follow one another, measured or not") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 64);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject);
  int expected = 0;
  for (std::size_t round = 0; round < 60; ++round) {
    const auto size = (round * 7) % 23;
    const bool measure = round % 3 != 0;
    Batch batch;
    batch.host_reads = true;
    batch.dispatches.assign(size, {Barrier::memory, kernel.get(), bindings.get()});
    const auto value = submit(*queue, {batch}, measure);
    wait_for(*queue, value);
    const auto spans = queue->collect(value);
    REQUIRE(spans);
    CHECK((*spans).size() == (measure ? size : 0));
    expected += static_cast<int>(size);
    CHECK(x[63] == expected);
  }
}

TEST_CASE("two threads share a device queue, each with a timeline of its own") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  constexpr int rounds = 200;
  struct Share {
    std::unique_ptr<Ints> x;
    std::unique_ptr<Bindings> bindings;
    std::unique_ptr<Queue> queue;
    bool right = false;
  };
  std::array<Share, 2> shares;
  for (auto& share : shares) {
    share.x = std::make_unique<Ints>(*subject, 128);
    share.bindings = bind(*subject, *kernel, {share.x->all()});
    share.queue = make_queue(*subject);
  }
  std::vector<std::thread> threads;
  for (auto& share : shares) {
    threads.emplace_back([&share, &kernel] {
      const Batch batch{{{Barrier::memory, kernel.get(), share.bindings.get(), {2, 1, 1}}}, true};
      for (int i = 1; i <= rounds; ++i) {
        const auto value = share.queue->submit(std::array{batch}, true);
        if (!value || *value != static_cast<std::uint64_t>(i)) return;
        const auto reached = share.queue->wait(*value, long_enough);
        if (!reached || *reached != WaitResult::reached || (*share.x)[127] != i) return;
        if (!share.queue->collect(*value)) return;
      }
      share.right = true;
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& share : shares) CHECK(share.right);
}

TEST_CASE("a kernel sees its window from its first byte to its last, and nothing else") {
  const auto subject = open_subject();
  const auto twice = make_kernel(*subject, "double_ints");
  const auto length = make_kernel(*subject, "length_of");
  const auto alignment = subject->device().profile().storage_offset_alignment;
  const auto stride = std::max<std::size_t>(16, alignment);
  constexpr std::size_t windows = 9;
  const auto words = stride / sizeof(int);
  Ints x(*subject, words * windows, 0, 1);
  Ints y(*subject, words * windows, -7);
  Ints lengths(*subject, words * windows, -1);
  std::vector<std::unique_ptr<Bindings>> kept;
  Batch batch;
  batch.host_reads = true;
  for (std::size_t i = 0; i < windows; ++i) {
    const Window from{x.get(), i * stride, 12};
    kept.push_back(bind(*subject, *twice, {from, {y.get(), (windows - 1 - i) * stride, 12}}));
    batch.dispatches.push_back({Barrier::none, twice.get(), kept.back().get()});
    kept.push_back(bind(*subject, *length, {from, {lengths.get(), i * stride, 4}}));
    batch.dispatches.push_back({Barrier::none, length.get(), kept.back().get()});
  }
  const auto queue = make_queue(*subject);
  wait_for(*queue, submit(*queue, {batch}));
  for (std::size_t i = 0; i < windows; ++i) {
    CHECK(lengths[i * words] == 3);
    for (std::size_t w = 0; w < words; ++w) {
      const auto expected = w < 3 ? 2 * static_cast<int>(i * words + w) : -7;
      CHECK(y[(windows - 1 - i) * words + w] == expected);
    }
  }
}

TEST_CASE("many sets of windows are made, dropped and made again") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 64);
  const auto queue = make_queue(*subject);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Bindings>> sets;
    for (int i = 0; i < 300; ++i) sets.push_back(bind(*subject, *kernel, {x.all()}));
    Batch batch;
    batch.host_reads = true;
    for (const auto& set : sets)
      batch.dispatches.push_back({Barrier::memory, kernel.get(), set.get()});
    wait_for(*queue, submit(*queue, {batch}));
    CHECK(x[0] == 300 * (round + 1));
  }
}

TEST_CASE("windows that no kernel could be given are refused by the actor's name") {
  const auto subject = open_subject();
  auto& device = subject->device();
  const auto kernel = make_kernel(*subject, "double_ints");
  Ints x(*subject, 1024);
  const auto refused = [&](const std::vector<Window>& windows, ErrorKind kind,
                           const std::string& why) {
    const auto result = device.make_bindings(*kernel, windows, "blur");
    REQUIRE(!result);
    CHECK(result.failure().kind == kind);
    CHECK(result.failure().message.find("blur") != std::string::npos);
    CHECK_MESSAGE(result.failure().message.find(why) != std::string::npos,
                  result.failure().message);
  };
  refused({x.all()}, ErrorKind::misuse, "1 windows for a kernel of 2");
  refused({x.all(), {}}, ErrorKind::misuse, "no buffer");
  refused({x.all(), {x.get(), 1, 4}}, ErrorKind::misuse, "multiple");
  refused({x.all(), {x.get(), 0, 4100}}, ErrorKind::misuse, "leaves its buffer of 4096");
  refused({x.all(), {x.get(), 8192, 0}}, ErrorKind::misuse, "leaves its buffer of 4096");
  const auto most = device.profile().max_storage_range;
  if (most < SIZE_MAX)
    refused({x.all(), {x.get(), 0, most + 1}}, ErrorKind::unsupported, std::to_string(most));
}

TEST_CASE("limits of the device are named, and no value is promised beyond them") {
  const auto subject = open_subject();
  auto& device = subject->device();
  auto spec = subject->spec("increment");
  spec.bindings = device.profile().max_bindings + 1;
  const auto wide = device.make_kernel(spec);
  REQUIRE(!wide);
  CHECK(wide.failure().kind == ErrorKind::unsupported);
  CHECK(wide.failure().message.find("increment") != std::string::npos);

  const auto kernel = make_kernel(*subject, "increment");
  Ints x(*subject, 64);
  const auto bindings = bind(*subject, *kernel, {x.all()});
  const auto queue = make_queue(*subject, "limited");
  const Batch fine{{{Barrier::memory, kernel.get(), bindings.get()}}, true};
  auto too_many = fine;
  too_many.dispatches[0].groups[2] = device.profile().max_group_count[2] + 1;
  auto unbound = fine;
  unbound.dispatches[0].bindings = nullptr;
  for (const auto& wrong : {too_many, unbound}) {
    const auto refused = queue->submit(std::array{fine, wrong}, true);
    REQUIRE(!refused);
    CHECK(refused.failure().message.find("limited") != std::string::npos);
  }
  CHECK(submit(*queue, {fine}) == 1);
  wait_for(*queue, 1);
  CHECK(x[0] == 1);
  const auto beyond = device.make_queue(device.queue_count(), "nowhere");
  REQUIRE(!beyond);
  CHECK(beyond.failure().kind == ErrorKind::misuse);
}

TEST_CASE("more memory than there is fails at once, and names the channel and the bytes") {
  const auto subject = open_subject();
  for (const auto access : {HostAccess::none, HostAccess::read_write}) {
    constexpr auto bytes = std::size_t{1} << 62;
    const auto buffer = subject->device().make_buffer({"camera.frame -> blur.in", bytes, access});
    REQUIRE(!buffer);
    CHECK(buffer.failure().kind == ErrorKind::out_of_memory);
    CHECK(buffer.failure().message.find("camera.frame -> blur.in") != std::string::npos);
    CHECK(buffer.failure().message.find(std::to_string(bytes)) != std::string::npos);
  }
  CHECK(subject->device().make_buffer({"small", 64, HostAccess::none}));
}

TEST_CASE("a queue that is destroyed finishes what it was given") {
  const auto subject = open_subject();
  const auto kernel = make_kernel(*subject, "churn");
  Ints steps(*subject, 1, some_steps);
  Ints y(*subject, 1);
  Ints x(*subject, 64);
  const auto bindings = bind(*subject, *kernel, {steps.all(), y.all()});
  auto queue = make_queue(*subject);
  auto batch = slow_batch(*subject, *kernel, *bindings);
  const auto increment = make_kernel(*subject, "increment");
  const auto last = bind(*subject, *increment, {x.all()});
  batch.dispatches.push_back({Barrier::none, increment.get(), last.get()});
  submit(*queue, {batch}, true);
  queue.reset();
  CHECK(x[0] == 1);
}
