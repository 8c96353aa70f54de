// A value, or why there is none. Inside the library failures are values; exceptions are for its
// API.
#pragma once

#include <antiphon/error.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace antiphon {

struct Failure {
  ErrorKind kind = ErrorKind::misuse;
  std::string message;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}            // NOLINT
  Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

  explicit operator bool() const noexcept { return state_.index() == 0; }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const Failure& failure() const { return std::get<1>(state_); }

  // For the edge of the API.
  T value_or_throw() && {
    if (!*this) throw Error(failure().kind, failure().message);
    return std::get<0>(std::move(state_));
  }

 private:
  std::variant<T, Failure> state_;
};

// The same for calls that return nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Failure failure) : failure_(std::move(failure)) {}  // NOLINT

  explicit operator bool() const noexcept { return !failure_; }
  const Failure& failure() const { return *failure_; }
  void throw_on_failure() const {
    if (failure_) throw Error(failure_->kind, failure_->message);
  }

 private:
  std::optional<Failure> failure_;
};

}  // namespace antiphon
