#include "cli/graphviz.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace antiphon::cli {

namespace {

std::string because(const char* what, int error) {
  return std::string(what) + ": " + std::strerror(error);
}

class FileEnd {
 public:
  FileEnd() = default;
  ~FileEnd() { close(); }
  FileEnd(const FileEnd&) = delete;
  FileEnd& operator=(const FileEnd&) = delete;

  // Takes it over. Not one of the three that every program begins with, even where one of those was
  // closed: the child gets its own there.
  bool take(int fd) {
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const auto error = errno;
    ::close(fd);
    errno = error;
    return fd_ >= 0;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

struct Pipe {
  FileEnd read;
  FileEnd write;

  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    const bool first = read.take(ends[0]);
    return write.take(ends[1]) && first;
  }
};

class Spawned {
 public:
  // The error, or 0.
  int spawn(const Pipe& in, const Pipe& out) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, in.read.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out.write.get(), STDOUT_FILENO);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::string name = "dot";
    std::string format = "-Tsvg";
    std::array<char*, 3> arguments{name.data(), format.data(), nullptr};
    const auto error =
        ::posix_spawnp(&pid_, name.c_str(), &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
  }

  // Its status, as waitpid has it.
  int wait() const {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

 private:
  pid_t pid_ = 0;
};

// Writes and reads at the same time, as far as the other end goes along: either pipe may be full
// while the other is waited for. Returns the error, or 0.
int talk(FileEnd& to, std::string_view input, FileEnd& from, std::string& output) {
  if (::fcntl(to.get(), F_SETFL, O_NONBLOCK) != 0) return errno;
  std::array<char, 1 << 16> piece{};
  for (;;) {
    if (input.empty()) to.close();
    // A negative descriptor is passed over.
    std::array<pollfd, 2> ends{{{from.get(), POLLIN, 0}, {to.get(), POLLOUT, 0}}};
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (ends[1].revents != 0) {
      const auto put = ::write(to.get(), input.data(), input.size());
      if (put >= 0) {
        input.remove_prefix(static_cast<std::size_t>(put));
      } else if (errno == EPIPE) {
        input = {};  // it wants no more; its status says why
      } else if (errno != EAGAIN && errno != EINTR) {
        return errno;
      }
    }
    if (ends[0].revents != 0) {
      const auto got = ::read(from.get(), piece.data(), piece.size());
      if (got == 0) return 0;
      if (got > 0) {
        output.append(piece.data(), static_cast<std::size_t>(got));
      } else if (errno != EINTR) {
        return errno;
      }
    }
  }
}

}  // namespace

Picture svg_of(const std::string& dot) {
  Picture picture;
  Pipe in;
  Pipe out;
  if (!in.open() || !out.open()) {
    picture.fault = because("no pipe to Graphviz's program `dot` can be made", errno);
    return picture;
  }
  Spawned program;
  if (const auto error = program.spawn(in, out); error != 0) {
    picture.fault =
        error == ENOENT
            ? "SVG is drawn by Graphviz's program `dot`, which is not here: install the package "
              "graphviz, or take --format dot and draw it elsewhere"
            : because("Graphviz's program `dot` could not be run", error);
    return picture;
  }
  in.read.close();
  out.write.close();
  const auto error = talk(in.write, dot, out.read, picture.text);
  in.write.close();
  out.read.close();
  const auto status = program.wait();
  if (error != 0) {
    picture.fault = because("Graphviz's program `dot` could not be spoken to", error);
  } else if (WIFSIGNALED(status)) {
    picture.fault = "Graphviz's program `dot` was ended by signal " +
                    std::to_string(WTERMSIG(status)) +
                    "; --format dot gives the graph as it got it";
  } else if (WEXITSTATUS(status) != 0) {
    picture.fault = "Graphviz's program `dot` failed with exit status " +
                    std::to_string(WEXITSTATUS(status)) +
                    "; --format dot gives the graph as it got it";
  } else if (picture.text.empty()) {
    picture.fault =
        "Graphviz's program `dot` drew nothing; --format dot gives the graph as it got it";
  }
  return picture;
}

}  // namespace antiphon::cli
