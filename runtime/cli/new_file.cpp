#include "cli/new_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace antiphon::cli {

namespace {

namespace fs = std::filesystem;

std::string because(const std::string& file, int error) {
  return "'" + file + "' cannot be written: " + std::strerror(error);
}

std::string there_already(const std::string& file) {
  return "'" + file + "' is there already; --force replaces it";
}

// A file with a name of its own beside another, gone again unless it was given that one's name.
class Temporary {
 public:
  explicit Temporary(const std::string& beside) : name_(beside + ".XXXXXX") {
    fd_ = ::mkstemp(name_.data());
  }
  ~Temporary() {
    if (fd_ < 0) return;
    close();
    if (!named_) ::unlink(name_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  bool made() const noexcept { return fd_ >= 0; }

  // As all of these, false where errno says why not.
  bool write(std::string_view text) const {
    while (!text.empty()) {
      const auto put = ::write(fd_, text.data(), text.size());
      if (put > 0) {
        text.remove_prefix(static_cast<std::size_t>(put));
      } else if (put == 0 || errno != EINTR) {
        return false;
      }
    }
    return true;
  }

  bool set_mode(mode_t mode) const { return ::fchmod(fd_, mode) == 0; }

  bool store() {
    if (::fsync(fd_) != 0) return false;
    open_ = false;
    return ::close(fd_) == 0;
  }

  bool take_name(const std::string& file, bool replace) {
    if (replace) {
      named_ = ::rename(name_.c_str(), file.c_str()) == 0;
      return named_;
    }
    named_ = ::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0;
    if (named_ || (errno != EINVAL && errno != ENOSYS)) return named_;
    // A file system that cannot do that in one step.
    if (::link(name_.c_str(), file.c_str()) == 0) return true;  // the other name is taken away
    return false;
  }

 private:
  void close() {
    if (open_) ::close(fd_);
    open_ = false;
  }

  std::string name_;
  int fd_ = -1;
  bool open_ = true;
  bool named_ = false;
};

// What a new file would get from open().
mode_t mode_of_new_files() {
  const auto mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string fault_of_new_file(const std::string& file, bool replace) {
  struct stat found {};
  if (::lstat(file.c_str(), &found) == 0 && S_ISLNK(found.st_mode) &&
      ::stat(file.c_str(), &found) != 0) {
    return "'" + file + "' is a link to what is not there: name the file itself";
  }
  if (::stat(file.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return "'" + file + "' is a folder: name a file in it";
    if (!S_ISREG(found.st_mode)) {
      return "'" + file +
             "' is no file that can be replaced; without a file's name the graph goes "
             "to the standard output";
    }
    return replace ? std::string{} : there_already(file);
  }
  return errno == ENOENT ? std::string{} : because(file, errno);
}

std::string write_new_file(const std::string& file, const std::string& text, bool replace) {
  if (auto fault = fault_of_new_file(file, replace); !fault.empty()) return fault;
  // A link stays one, and what it leads to is replaced.
  std::error_code none;
  const auto real = fs::canonical(file, none);
  const auto target = none ? file : real.string();
  auto mode = mode_of_new_files();
  struct stat found {};
  if (::stat(target.c_str(), &found) == 0) mode = found.st_mode & 07777;
  Temporary temporary(target);
  if (!temporary.made() || !temporary.write(text) || !temporary.set_mode(mode) ||
      !temporary.store()) {
    return because(file, errno);
  }
  if (temporary.take_name(target, replace)) return {};
  return errno == EEXIST ? there_already(file) : because(file, errno);
}

}  // namespace antiphon::cli
