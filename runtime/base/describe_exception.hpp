// What somebody else's exception says.
#pragma once

#include <exception>
#include <string>

namespace antiphon {

// REQUIRES: `cause` is not null.
inline std::string describe_exception(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace antiphon
