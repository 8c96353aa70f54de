#include "base/read_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace antiphon {

Result<std::string> read_file(const std::string& path, const std::string& what,
                              std::uintmax_t most) {
  const auto unreadable = [&](const std::string& why) {
    return Failure{ErrorKind::unreadable,
                   fmt::format("{} '{}' can't be read: {}", what, path, why)};
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return unreadable("there is no such file");
  if (!std::filesystem::is_regular_file(status)) return unreadable("it is no regular file");
  if (const auto size = std::filesystem::file_size(path, error); error || size > most) {
    return unreadable(error ? error.message() : fmt::format("it has more than {} bytes", most));
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  // An empty file sets failbit on `text`, which is no fault in reading it.
  if (!in.is_open() || in.bad()) return unreadable(std::strerror(errno));
  return text.str();
}

}  // namespace antiphon
