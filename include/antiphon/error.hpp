// What a failed call throws, and the kinds of failure there are.
#pragma once

#include <stdexcept>
#include <string>

namespace antiphon {

// A closed set: a caller can tell by the kind alone what to do about a failure.
enum class ErrorKind {
  invalid_graph,  // the graph must be changed; the report says where and how
  unreadable,     // a file is missing, cut off or not in its format
  unwritable,     // a file can't be written
  no_device,      // no Vulkan driver, or no device that has what is needed
  unsupported,    // the device or this build cannot do it
  out_of_memory,  // a heap has too little left; the message names bytes and owner
  device_lost,    // the device is gone; make a new Runtime
  actor_failed,   // a function of the graph's own threw
  hung,           // a function or kernel does not end; what it holds is never freed
  misuse,         // the call itself is wrong
  internal,       // a fault of the library's own: please report it
};

const char* name(ErrorKind kind) noexcept;

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace antiphon
