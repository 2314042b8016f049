#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/sinks/sink.h>

#include "svc/kernel/log_filters.h"

namespace svc::kernel {

/// Filters run without a lock, several threads at once. Releasing a handle waits for the calls of its filter that run.
class LogFilters final : public ILogFilters {
 public:
  [[nodiscard]] Handle add(Filter filter) override;
  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::string apply(std::string message) const;

 private:
  /// One filter and the calls of it that run.
  class Slot {
   public:
    explicit Slot(Filter filter) : filter_(std::move(filter)) {}
    /// The message as it is when the filter is released.
    [[nodiscard]] std::string apply(std::string message);
    /// No call runs when it returns, and none begins later.
    void release();

   private:
    const Filter filter_;
    std::mutex mutex_;
    std::condition_variable idle_;
    std::size_t running_ = 0;
    bool released_ = false;
  };
  /// Handles may outlive the filters.
  struct State {
    mutable std::shared_mutex mutex;
    std::vector<std::shared_ptr<Slot>> slots;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// The sinks of the server's log behind its filters.
class FilteredSink final : public spdlog::sinks::sink {
 public:
  FilteredSink(std::shared_ptr<const LogFilters> filters, std::vector<spdlog::sink_ptr> targets)
      : filters_(std::move(filters)), targets_(std::move(targets)) {}

  void log(const spdlog::details::log_msg& message) override;
  void flush() override;
  void set_pattern(const std::string& pattern) override;
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override;

 private:
  void write(const spdlog::details::log_msg& message);

  std::shared_ptr<const LogFilters> filters_;
  std::vector<spdlog::sink_ptr> targets_;
};

}  // namespace svc::kernel
