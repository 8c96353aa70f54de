#include <antiphon/error.hpp>

namespace antiphon {

const char* name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::invalid_graph:
      return "invalid graph";
    case ErrorKind::unreadable:
      return "unreadable";
    case ErrorKind::unwritable:
      return "unwritable";
    case ErrorKind::no_device:
      return "no device";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::out_of_memory:
      return "out of memory";
    case ErrorKind::device_lost:
      return "device lost";
    case ErrorKind::actor_failed:
      return "actor failed";
    case ErrorKind::hung:
      return "hung";
    case ErrorKind::misuse:
      return "misuse";
    case ErrorKind::internal:
      return "internal";
  }
  return "unknown";
}

}  // namespace antiphon
