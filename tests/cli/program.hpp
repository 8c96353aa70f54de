// The program in a folder of its own, through the shell.
#pragma once

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace cli_tests {

namespace fs = std::filesystem;

// A folder of this test's own, gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "antiphon-cli-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ / name, std::ios::binary).rdbuf();
    return text.str();
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Ended {
  int code = 0;
  std::string out;
  std::string err;
  double processor_ms = 0;  // of this command's processes alone, whatever else runs
  long peak_kib = 0;        // of the largest of them
};

// Through the shell, so that pipes and redirections can be part of it; `antiphon` stands for the
// program.
inline Ended shell(const Folder& folder, std::string command) {
  const std::string word = "antiphon";
  std::string full;
  for (std::size_t at = 0;;) {
    const auto found = command.find(word, at);
    const bool is_word = found == 0 || (found != std::string::npos && command[found - 1] == ' ');
    full += command.substr(at, found == std::string::npos ? found : found - at);
    if (found == std::string::npos) break;
    full += is_word ? "'" ANTIPHON_PROGRAM "'" : word;
    at = found + word.size();
  }
  const auto out = (folder.path() / "out").string();
  const auto err = (folder.path() / "err").string();
  const auto line =
      "cd '" + folder.path().string() + "' && { " + full + "; } > '" + out + "' 2> '" + err + "'";
  const auto child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  REQUIRE(wait4(child, &status, 0, &used) == child);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), folder.read("out"),
          folder.read("err"), ms(used.ru_utime) + ms(used.ru_stime), used.ru_maxrss};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace cli_tests
