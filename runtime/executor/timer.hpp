// Calls a function again and again, on a thread of its own (Asio's timer).
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>

namespace antiphon::executor {

class Timer {
 public:
  // The first call comes one period from now. What the function throws goes to `failed`, once, and
  // ends the calls.
  Timer(std::chrono::nanoseconds period, std::function<void()> call,
        std::function<void(std::exception_ptr)> failed);
  // Returns when no call is under way and none will come.
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antiphon::executor
