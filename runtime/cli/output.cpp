#include "cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace antiphon::cli {

// https://no-color.org: a program that colours its output leaves it when NO_COLOR is set.
bool colors(const std::string& when) {
  if (when != "auto") return when == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return on_terminal() && (no_color == nullptr || *no_color == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool on_terminal() {
  return isatty(STDOUT_FILENO) != 0;
}

Output::Output(const char* verb, bool json, std::size_t parts)
    : verb_(verb), json_(json), parts_(parts) {
  if (json_ && parts_ > 1) print("[\n");
}

void Output::part(std::string text) {
  ++done_;
  if (json_ && parts_ > 1) {
    if (!text.empty() && text.back() == '\n') text.pop_back();
    text += done_ < parts_ ? ",\n" : "\n]\n";
  } else if (!json_ && done_ > 1) {
    text.insert(0, "\n");
  }
  print(text);
}

// A closed pipe or a full disk ends the output; the exit code still says what was found.
void Output::print(const std::string& text) {
  printed_ = printed_ && std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

ExitCode Output::finish(ExitCode code) {
  if (std::fflush(stdout) == 0 && printed_) return code;
  if (errno == EPIPE) return code;
  std::fprintf(stderr, "antiphon %s: the output could not be written: %s\n", verb_,
               std::strerror(errno));
  return weightier(code, wrong_call);
}

}  // namespace antiphon::cli
