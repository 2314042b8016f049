#pragma once

#include <string>

namespace svc::client {

/// Keys of a person, as they are pressed.
class IKeys {
 public:
  virtual ~IKeys() = default;
  /// Readable when one was pressed; -1 while there are none to come.
  [[nodiscard]] virtual int descriptor() = 0;
  /// What was pressed since. What an arrow or another key sends that is no character is left out.
  [[nodiscard]] virtual std::string take() = 0;
};

/// Makes a terminal give its keys one by one and without showing them, for as long as it lives; Ctrl-C and Ctrl-Z stay signals.
/// The terminal is as it was before whenever the process ends or stops: also by a signal, and by a crash. In the background it
/// belongs to another, and there are no keys. One at a time; main thread.
class TerminalKeys final : public IKeys {
 public:
  explicit TerminalKeys(int terminal);
  ~TerminalKeys() override;
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  [[nodiscard]] int descriptor() override;
  [[nodiscard]] std::string take() override;

 private:
  bool over_ = false;
};

/// For a way out that runs no destructors: the terminal as it was. Safe in a signal handler; nothing without TerminalKeys.
void restoreTerminal() noexcept;

}  // namespace svc::client
