#include "interrupt.hpp"

#include <signal.h>

#include <atomic>
#include <initializer_list>

namespace samples {

namespace {

std::atomic<bool> wished = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may take no lock");

}  // namespace

void watch_for_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { wished = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  // A file that gets too large is a write that fails, a reader that has gone is one, too.
  for (const int signal : {SIGXFSZ, SIGPIPE}) ::signal(signal, SIG_IGN);
}

bool interrupted() noexcept {
  return wished;
}

}  // namespace samples
