// What a CPU actor runs: a function over the messages of one firing.
#pragma once

#include <antiphon/message_type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace antiphon {

// What a CPU actor's function may return instead of void.
enum class Flow {
  more,  // this firing's messages are published
  done,  // the stream ends before this firing: it publishes nothing. One firing at a time only
};

// One firing, as a CPU actor's function may ask for it in its first parameter.
class Firing {
 public:
  // The messages of one port, one behind the other.
  struct Window {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t messages = 0;
  };

  Firing(std::int64_t index, std::span<const Window> windows) : index_(index), windows_(windows) {}

  // 0 for the actor's first firing.
  std::int64_t index() const noexcept { return index_; }
  // The messages of port `i`, in the order in which the ports were declared.
  const Window& window(std::size_t i) const noexcept { return windows_[i]; }

 private:
  std::int64_t index_;
  std::span<const Window> windows_;
};

namespace detail {

template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Parameters = std::tuple<A...>;
};
template <typename R, typename... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R (*)(A...)> {};

// How a parameter sees its port: the message (rate 1), or a span over the messages of the firing
// (over all their elements, where a message is an array and the span is of its element).
template <typename P>
struct Parameter {
  using Message = std::remove_cvref_t<P>;
  static constexpr bool is_span = false;
  static constexpr bool writes =
      std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;
  static std::remove_reference_t<P>& get(const Firing::Window& w) {
    return *reinterpret_cast<std::remove_reference_t<P>*>(w.data);
  }
};
template <typename T>
struct Parameter<std::span<T>> {
  using Message = std::remove_const_t<T>;
  static constexpr bool is_span = true;
  static constexpr bool writes = !std::is_const_v<T>;
  static std::span<T> get(const Firing::Window& w) {
    return {reinterpret_cast<T*>(w.data), w.bytes / sizeof(T)};
  }
};

template <typename Tuple>
struct DropFirst;
template <typename First, typename... Rest>
struct DropFirst<std::tuple<First, Rest...>> {
  using type = std::tuple<Rest...>;
};

template <typename Tuple>
inline constexpr bool begins_with_firing = false;
template <typename First, typename... Rest>
inline constexpr bool begins_with_firing<std::tuple<First, Rest...>> =
    std::is_same_v<std::remove_cvref_t<First>, Firing>;

template <typename F>
struct CpuSignature {
  using All = typename Signature<std::decay_t<F>>::Parameters;
  static constexpr bool takes_firing = begins_with_firing<All>;
  using Ports =
      typename std::conditional_t<takes_firing, DropFirst<All>, std::type_identity<All>>::type;
  static constexpr std::size_t count = std::tuple_size_v<Ports>;
};

}  // namespace detail

// A factory of one run's copy of the function, wrapped for functions that can only be moved:
//   graph.cpu("sink", make([] { return MoveOnly{}; }), …)
template <typename Make>
struct MadeBy {
  Make make;
};
template <typename Make>
MadeBy<std::decay_t<Make>> make(Make&& function) {
  return {std::forward<Make>(function)};
}

// The function of a CPU actor with its types taken away.
//
// It may be called on any worker thread, by one at a time; a throw fails the run. Each run starts
// from a fresh copy (one for each firing that may run at once), so what the function keeps between
// firings does not leak from one run into the next.
class CpuFunction {
 public:
  // What one parameter needs of its port.
  struct Need {
    MessageType type;     // of one message; of a span that sees arrays, of one element
    bool span = false;    // takes any rate; otherwise the rate must be 1
    bool writes = false;  // an output
  };
  using Body = std::function<Flow(const Firing&)>;

  CpuFunction() = default;

  template <typename F>
  static CpuFunction from(F function) {
    static_assert(std::is_copy_constructible_v<F>,
                  "each run starts from a copy: wrap what can only be moved in antiphon::make");
    return of<F>([function = std::move(function)] { return function; });
  }
  template <typename Make>
  static CpuFunction from(MadeBy<Make> made) {
    return of<std::invoke_result_t<Make&>>(std::move(made.make));
  }

  // A function that knows its ports itself.
  static CpuFunction raw(Body body) {
    CpuFunction result;
    result.start_ = [body = std::move(body)] { return body; };
    return result;
  }

  explicit operator bool() const noexcept { return static_cast<bool>(start_); }
  const std::vector<Need>& needs() const noexcept { return needs_; }
  // A copy for one run.
  Body start() const { return start_(); }

 private:
  template <typename F, typename Make>
  static CpuFunction of(Make make_one) {
    using S = detail::CpuSignature<F>;
    CpuFunction result;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (result.needs_.push_back(need<std::tuple_element_t<I, typename S::Ports>>()), ...);
    }
    (std::make_index_sequence<S::count>());
    result.start_ = [make_one = std::move(make_one)]() mutable -> Body {
      // Shared, since std::function copies what it holds and F may be move-only.
      auto function = std::make_shared<F>(make_one());
      return [function](const Firing& firing) { return call(*function, firing); };
    };
    return result;
  }

  template <typename P>
  static Need need() {
    using Of = detail::Parameter<P>;
    return {message_type<typename Of::Message>(), Of::is_span, Of::writes};
  }

  template <typename F>
  static Flow call(F& function, const Firing& firing) {
    using S = detail::CpuSignature<F>;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto invoke = [&]() -> decltype(auto) {
        if constexpr (S::takes_firing) {
          return function(firing,
                          detail::Parameter<std::tuple_element_t<I, typename S::Ports>>::get(
                              firing.window(I))...);
        } else {
          return function(detail::Parameter<std::tuple_element_t<I, typename S::Ports>>::get(
              firing.window(I))...);
        }
      };
      if constexpr (std::is_void_v<decltype(invoke())>) {
        invoke();
        return Flow::more;
      } else {
        static_assert(std::is_same_v<std::decay_t<decltype(invoke())>, Flow>,
                      "a CPU actor's function returns void or antiphon::Flow");
        return invoke();
      }
    }
    (std::make_index_sequence<S::count>());
  }

  std::vector<Need> needs_;
  std::function<Body()> start_;
};

}  // namespace antiphon
