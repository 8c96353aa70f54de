#include "executor/workers.hpp"

#include <antiphon/error.hpp>

#include <concurrentqueue.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace antiphon::executor {

namespace {

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace

struct Workers::Impl {
  Impl(Work& what, std::chrono::nanoseconds spins) : work(what), spin_for(spins) {}

  Work& work;
  const std::chrono::nanoseconds spin_for;
  moodycamel::ConcurrentQueue<Task> queue;
  // Posted and not yet taken. Read and written with sequentially consistent operations, as `asleep`
  // is: a poster who sees nobody asleep has made the post visible to whoever is about to sleep.
  std::atomic<std::int64_t> queued{0};
  std::atomic<unsigned> asleep{0};
  std::atomic<bool> ending{false};

  std::mutex mutex;
  std::condition_variable condition;
  unsigned nudges = 0;  // guarded by mutex
  std::vector<std::thread> threads;

  bool take(Task& task) {
    if (queued.load() <= 0) return false;
    if (!queue.try_dequeue(task)) return false;
    queued.fetch_sub(1);
    return true;
  }

  bool spin() {
    const auto until = std::chrono::steady_clock::now() + spin_for;
    do {
      for (int i = 0; i < 16; ++i) {
        if (queued.load() > 0 || ending.load()) return true;
        relax();
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  // Whoever counts as asleep is nudged when there is a role to take; one that was there before that
  // would not be.
  void sleep() {
    asleep.fetch_add(1);
    if (!work.offers_role()) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return queued.load() > 0 || ending.load() || nudges > 0; });
      if (nudges > 0) --nudges;
    }
    asleep.fetch_sub(1);
  }

  void end() {
    ending.store(true);
    {
      const std::lock_guard lock(mutex);
      condition.notify_all();
    }
    for (auto& thread : threads) thread.join();
  }

  void loop(unsigned index) {
    while (!ending.load()) {
      Task task = 0;
      if (take(task)) {
        work.run(task, index);
      } else if (!work.take_role(index) && !spin()) {
        sleep();
      }
    }
  }
};

Workers::Workers(Work& work, unsigned threads, std::chrono::nanoseconds spin_for)
    : impl_(std::make_unique<Impl>(work, spin_for)) {
  try {
    impl_->threads.reserve(threads);
    for (unsigned i = 0; i < threads; ++i) {
      impl_->threads.emplace_back([impl = impl_.get(), i] { impl->loop(i); });
    }
  } catch (const std::exception& error) {
    const auto started = impl_->threads.size();
    impl_->end();
    throw Error(ErrorKind::out_of_memory, "the system gives no more than " +
                                              std::to_string(started) + " of " +
                                              std::to_string(threads) + " worker threads (" +
                                              error.what() + "): ask for fewer");
  }
}

Workers::~Workers() {
  impl_->end();
}

void Workers::post(Task task) {
  impl_->queue.enqueue(task);
  impl_->queued.fetch_add(1);
  if (impl_->asleep.load() > 0) {
    const std::lock_guard lock(impl_->mutex);
    impl_->condition.notify_one();
  }
}

void Workers::nudge() {
  if (impl_->asleep.load() == 0) return;
  const std::lock_guard lock(impl_->mutex);
  if (impl_->asleep.load() == 0) return;
  ++impl_->nudges;
  impl_->condition.notify_one();
}

bool Workers::any_asleep() const noexcept {
  return impl_->asleep.load() > 0;
}

}  // namespace antiphon::executor
