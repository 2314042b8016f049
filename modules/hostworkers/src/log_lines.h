#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/executor.h"

#include "messages.h"

namespace svc::hostworkers {

/// Makes lines of what a worker writes to stdout and stderr, within L:worker-log: long lines are cut, lines beyond those of a
/// minute are counted. Takes any flood in bounded memory. One thread.
class LogLines {
 public:
  explicit LogLines(const IClock& clock) : clock_(clock) {}

  void add(bool error, std::string_view bytes);
  /// The streams have ended: what has no line end yet, and the count of what was left out.
  void finish();
  /// Tells the count of what was left out once its minute is over.
  void tick();
  /// True while lines of this minute are left out.
  [[nodiscard]] bool dropping() const { return dropped_ > 0; }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::vector<LogLine> take() { return std::exchange(lines_, {}); }
  /// The last line of stderr.
  [[nodiscard]] const std::string& lastError() const { return last_error_; }

 private:
  /// A line that has begun.
  struct Partial {
    std::string text;
    std::size_t cut = 0;
    bool severe = false;
    [[nodiscard]] bool empty() const { return text.empty() && cut == 0 && !severe; }
  };

  void append(Partial& partial, std::string_view bytes);
  void complete(bool error);
  void tellDropped();

  const IClock& clock_;
  Partial out_;
  Partial err_;
  std::vector<LogLine> lines_;
  std::string last_error_;
  std::chrono::steady_clock::time_point window_{};
  std::size_t in_window_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace svc::hostworkers
