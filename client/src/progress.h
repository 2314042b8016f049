#pragma once

#include <string>

#include "console.h"

namespace svc::client {

/// What long work does now, on stderr: one line that is rewritten on a terminal, nothing elsewhere and with --json.
class Progress {
 public:
  explicit Progress(const Console& console);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  /// Only a text that differs from the one shown is written.
  void show(const std::string& text);
  void clear();

 private:
  const Console& console_;
  bool active_;
  std::string shown_;
};

}  // namespace svc::client
