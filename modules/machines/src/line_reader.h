#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::machines {

/// Makes lines of what a descriptor delivers. Lines without anything are left out, one that is too long (L:worker-log) is
/// cut.
class LineReader {
 public:
  explicit LineReader(std::function<void(std::string_view line)> on_line)
      : on_line_(std::move(on_line)) {}

  /// Reads what is there now from a non-blocking descriptor. False at its end.
  [[nodiscard]] bool readFrom(int descriptor);
  void add(std::string_view text);
  /// The last line, when nothing ended it.
  void finish();

 private:
  std::function<void(std::string_view line)> on_line_;
  std::string line_;
};

}  // namespace svc::machines
