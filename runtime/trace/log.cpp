#include "trace/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <mutex>
#include <utility>

namespace antiphon {

namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::off:
      return spdlog::level::off;
  }
  return spdlog::level::warn;
}

LogLevel level_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LogLevel::debug;
    case spdlog::level::info:
      return LogLevel::info;
    case spdlog::level::warn:
      return LogLevel::warning;
    default:
      return LogLevel::error;
  }
}

class UserSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit UserSink(std::function<void(LogLevel, std::string_view)> to) : sink_(std::move(to)) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    sink_(level_of(message.level), {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

  std::function<void(LogLevel, std::string_view)> sink_;
};

std::shared_ptr<spdlog::logger> make_logger(LogLevel level,
                                            std::function<void(LogLevel, std::string_view)> sink) {
  spdlog::sink_ptr where;
  if (sink) {
    where = std::make_shared<UserSink>(std::move(sink));
  } else {
    where = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    where->set_pattern("antiphon %l: %v");
  }
  auto logger = std::make_shared<spdlog::logger>("antiphon", std::move(where));
  logger->set_level(level_of(level));
  return logger;
}

// Our own logger and no registry: a program that uses spdlog itself sees nothing of it.
struct Current {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> logger = make_logger(LogLevel::warning, {});

  std::shared_ptr<spdlog::logger> get() {
    const std::lock_guard lock(mutex);
    return logger;
  }
};

Current& current() {
  static Current instance;
  return instance;
}

}  // namespace

void set_log(LogLevel level, std::function<void(LogLevel, std::string_view)> sink) {
  auto logger = make_logger(level, std::move(sink));
  const std::lock_guard lock(current().mutex);
  current().logger = std::move(logger);
}

namespace trace {

bool logs(LogLevel level) noexcept {
  return current().get()->should_log(level_of(level));
}

void log(LogLevel level, std::string_view message) {
  current().get()->log(level_of(level), spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace trace

}  // namespace antiphon
