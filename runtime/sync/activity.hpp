// Whether an actor is being looked after: at most one thread at a time, and never forgotten.
#pragma once

#include <atomic>
#include <cstdint>

namespace antiphon::sync {

// The states of somebody who may be asked to look at his inputs again:
//
//   idle --ask--> asked --begin--> busy --rest--> idle
//                                  busy --ask--> busy and asked --rest (refused)--> busy
//
// An ask that comes while he is busy makes his rest fail, so he looks once more: no wake-up is
// lost. Read-modify-writes throughout, so that whoever begins sees all that those who asked had
// done.
class Activity {
 public:
  // Any thread. True when the caller is the one who must see to it that `begin` is called.
  bool ask() noexcept {
    auto state = state_.load(std::memory_order_relaxed);
    for (;;) {
      std::uint8_t next = 0;
      switch (state) {
        case idle:
          next = asked;
          break;
        case busy:
          next = busy_and_asked;
          break;
        default:
          next = state;
          break;  // asked already, or gone: still an RMW, for its ordering
      }
      if (state_.compare_exchange_weak(state, next, std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
        return state == idle;
      }
    }
  }
  // REQUIRES: an ask returned true since the last rest.
  void begin() noexcept { state_.exchange(busy, std::memory_order_acq_rel); }
  // By whoever began. False: somebody asked meanwhile, look again.
  bool rest() noexcept {
    std::uint8_t expected = busy;
    if (state_.compare_exchange_strong(expected, idle, std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      return true;
    }
    state_.exchange(busy, std::memory_order_acq_rel);
    return false;
  }
  // By whoever began: there is nothing left to look at, ever.
  void retire() noexcept { state_.exchange(gone, std::memory_order_acq_rel); }

 private:
  enum : std::uint8_t { idle, asked, busy, busy_and_asked, gone };
  std::atomic<std::uint8_t> state_{idle};
};

}  // namespace antiphon::sync
