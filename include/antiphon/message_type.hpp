// What one message of a channel is: a name for both ends to agree on, and its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace antiphon {

struct MessageType {
  std::string name;           // "int32", "float32[1024]", a struct's name; empty: a size alone
  std::size_t size = 0;       // bytes; 0: not said at this end
  std::size_t alignment = 1;  // bytes
  std::int64_t elements =
      1;  // scalars or structs in one message; the default dispatch counts these
  // For types that are more than their bytes: a slot is constructed once and destroyed at the end.
  void (*construct)(void*) = nullptr;
  void (*destroy)(void*) noexcept = nullptr;
  void (*copy)(void* to, const void* from) = nullptr;  // null where the type can't be copied
  const std::type_info* cpp = nullptr;                 // which type that is

  bool trivial() const noexcept { return construct == nullptr; }
};

namespace detail {

template <typename T>
struct TypeName {
  static std::string get() { return {}; }
};
#define ANTIPHON_TYPE_NAME(type, text)        \
  template <>                                 \
  struct TypeName<type> {                     \
    static std::string get() { return text; } \
  }
ANTIPHON_TYPE_NAME(std::int8_t, "int8");
ANTIPHON_TYPE_NAME(std::int16_t, "int16");
ANTIPHON_TYPE_NAME(std::int32_t, "int32");
ANTIPHON_TYPE_NAME(std::int64_t, "int64");
ANTIPHON_TYPE_NAME(std::uint8_t, "uint8");
ANTIPHON_TYPE_NAME(std::uint16_t, "uint16");
ANTIPHON_TYPE_NAME(std::uint32_t, "uint32");
ANTIPHON_TYPE_NAME(std::uint64_t, "uint64");
ANTIPHON_TYPE_NAME(float, "float32");
ANTIPHON_TYPE_NAME(double, "float64");
#undef ANTIPHON_TYPE_NAME

// What an array is made of, however deep; an array of arrays is one array.
template <typename T>
struct Elements {
  using Of = T;
  static constexpr std::size_t count = 1;
};
template <typename T, std::size_t N>
struct Elements<std::array<T, N>> {
  using Of = typename Elements<T>::Of;
  static constexpr std::size_t count = N * Elements<T>::count;
};

}  // namespace detail

// A scalar or a std::array of scalars gets the name that graph files use (an array of arrays is one
// array); any other type is known by its size alone, unless `name` is given.
template <typename T>
MessageType message_type(std::string name = {}) {
  MessageType type;
  type.size = sizeof(T);
  type.alignment = alignof(T);
  using Elements = detail::Elements<T>;
  type.elements = static_cast<std::int64_t>(Elements::count);
  type.name = detail::TypeName<typename Elements::Of>::get();
  if (!type.name.empty() && !std::is_same_v<typename Elements::Of, T>) {
    type.name += "[" + std::to_string(Elements::count) + "]";
  }
  if (!name.empty()) type.name = std::move(name);
  if constexpr (!std::is_trivially_copyable_v<T>) {
    static_assert(std::is_default_constructible_v<T>,
                  "a message is constructed before it is written");
    type.cpp = &typeid(T);
    type.construct = [](void* at) { ::new (at) T(); };
    type.destroy = [](void* at) noexcept { static_cast<T*>(at)->~T(); };
    if constexpr (std::is_copy_assignable_v<T>) {
      type.copy = [](void* to, const void* from) {
        *static_cast<T*>(to) = *static_cast<const T*>(from);
      };
    }
  }
  return type;
}

}  // namespace antiphon
