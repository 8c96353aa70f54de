#include "executor/timer.hpp"

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <algorithm>
#include <thread>
#include <utility>

namespace antiphon::executor {

struct Timer::Impl {
  std::chrono::nanoseconds period;
  std::function<void()> call;
  std::function<void(std::exception_ptr)> failed;
  asio::io_context context{1};
  asio::steady_timer timer{context};
  std::thread thread;

  void wait() {
    timer.async_wait([this](const std::error_code& error) {
      if (error) return;  // cancelled
      try {
        call();
      } catch (...) {
        failed(std::current_exception());
        return;
      }
      // From the last due time, so that calls keep their pace; never in the past, so that a slow
      // call doesn't make later ones come in a burst.
      timer.expires_at(std::max(timer.expiry() + period, std::chrono::steady_clock::now()));
      wait();
    });
  }
};

Timer::Timer(std::chrono::nanoseconds period, std::function<void()> call,
             std::function<void(std::exception_ptr)> failed)
    : impl_(std::make_unique<Impl>()) {
  impl_->period = std::max(period, std::chrono::nanoseconds(std::chrono::milliseconds(1)));
  impl_->call = std::move(call);
  impl_->failed = std::move(failed);
  impl_->timer.expires_after(impl_->period);
  impl_->wait();
  impl_->thread = std::thread([impl = impl_.get()] { impl->context.run(); });
}

Timer::~Timer() {
  impl_->context.stop();
  impl_->thread.join();
}

}  // namespace antiphon::executor
