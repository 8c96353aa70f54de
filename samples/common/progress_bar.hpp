// A progress bar on standard error, where that is a terminal; silent elsewhere.
#pragma once

#include <antiphon/runtime.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace samples {

// One thread at a time.
class ProgressBar {
 public:
  // `total` items; 0: nobody knows.
  ProgressBar(std::string title, std::int64_t total);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Wipes the line.
  ~ProgressBar();

  void show(std::int64_t done, double seconds);
  // For RunOptions::on_progress, while this object lives: shows the firings of one actor, which are
  // counted in the graph's order. Empty where there is no terminal.
  std::function<void(const antiphon::Progress&)> of_actor(std::size_t actor);

 private:
  std::string title_;
  std::int64_t total_;
  bool terminal_;
  bool shown_ = false;
};

}  // namespace samples
