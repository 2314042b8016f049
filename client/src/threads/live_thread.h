#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

#include "server_locator.h"

namespace svc::client {

/// What may happen while somebody follows a thread.
struct ThreadNews {
  enum class Kind : std::uint8_t {
    kNothing,      ///< nothing, in the time that was given
    kChanged,      ///< the server says that the thread has changed
    kLine,         ///< somebody typed one
    kNoMoreLines,  ///< standard input has ended
    kInterrupted,  ///< Ctrl-C or SIGTERM; from then on always
    kLost,         ///< the connection is gone
  };
  Kind kind = Kind::kNothing;
  common::Json metadata{};  ///< of kChanged
  std::string line{};       ///< of kLine
};

/// The realtime notices of one thread, standard input, and signals: one place to wait for all of them. Main thread.
class ILiveThread {
 public:
  virtual ~ILiveThread() = default;
  /// Connects (again) and subscribes; what happens from then on is told. Errors: `unavailable`, `timeout`, `aborted`.
  [[nodiscard]] virtual Status connect(const ServerAddress& address) = 0;
  /// Waits at most so long; without a connection for lines and signals alone. Lines are read only when they are wanted.
  [[nodiscard]] virtual ThreadNews next(bool want_line, std::chrono::milliseconds patience) = 0;
};

/// A second Ctrl-C ends the process at once. One at a time.
[[nodiscard]] std::unique_ptr<ILiveThread> openLiveThread(const std::string& thread_id);

}  // namespace svc::client
