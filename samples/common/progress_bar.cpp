#include "progress_bar.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace samples {

ProgressBar::ProgressBar(std::string title, std::int64_t total)
    : title_(std::move(title)), total_(total), terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(std::int64_t done, double seconds) {
  if (!terminal_) return;
  shown_ = true;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  if (total_ <= 0) {
    fmt::print(stderr, "\r\x1b[K{} {} ({:.1f}/s)", title_, done, rate);
    return;
  }
  constexpr std::int64_t cells = 32;
  const auto filled =
      static_cast<std::size_t>(std::clamp(done * cells / total_, std::int64_t{0}, cells));
  fmt::print(stderr, "\r\x1b[K{} [{:=<{}}{:{}}] {}/{} ({:.1f}/s)", title_, "", filled, "",
             static_cast<std::size_t>(cells) - filled, done, total_, rate);
}

std::function<void(const antiphon::Progress&)> ProgressBar::of_actor(std::size_t actor) {
  if (!terminal_) return {};
  return [this, actor](const antiphon::Progress& progress) {
    show(progress.firings[actor], std::chrono::duration<double>(progress.elapsed).count());
  };
}

}  // namespace samples
