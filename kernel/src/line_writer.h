#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "svc/base/fd.h"
#include "svc/base/unblocked_output.h"

namespace svc::kernel {

/// Writes lines in order and never waits for their reader. As long as there is room write() itself writes, so that a process that
/// ends suddenly has said everything. What there is no room for waits for a thread, up to a limit; beyond that the oldest lines go,
/// and a line in their place says how many. Thread-safe.
class LineWriter {
 public:
  struct Options {
    int fd = -1;
    /// Bytes that may wait.
    std::size_t limit = 0;
    /// The line that stands for lines that were dropped, with its line break. Any thread.
    std::function<std::string(std::uint64_t count)> dropped;
  };

  explicit LineWriter(Options options);
  LineWriter(const LineWriter&) = delete;
  LineWriter& operator=(const LineWriter&) = delete;
  /// What waits is lost.
  ~LineWriter();

  /// `line` ends with its line break.
  void write(std::string line);
  /// Waits until nothing waits; false when that took longer than `limit`.
  bool drain(std::chrono::milliseconds limit);

 private:
  void dropOldest();
  bool writeNote();
  void writeWaiting();
  void wake() const;
  void run();

  const Options options_;
  std::mutex mutex_;
  std::condition_variable drained_;
  base::UnblockedOutput out_;
  std::deque<std::string> waiting_;
  std::size_t bytes_ = 0;
  /// The first of `waiting_` is already written up to here.
  std::size_t begun_ = 0;
  std::uint64_t dropped_ = 0;
  bool stopping_ = false;
  base::Fd wake_;
  std::thread thread_;  ///< from the first line that has to wait
};

}  // namespace svc::kernel
