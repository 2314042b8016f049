#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace svc::hostworkers {

/// The file watches of one worker. Main thread; letting it go ends them.
class IWatchSession {
 public:
  virtual ~IWatchSession() = default;
  /// Answers the worker with watch-ready or watch-start-error. `options` is JSON text.
  virtual void start(const std::string& watch_id, const std::string& options) = 0;
  virtual void stop(const std::string& watch_id) = 0;
  /// The worker has dealt with an event: the next one may come.
  virtual void acknowledge(const std::string& watch_id, std::int64_t sequence) = 0;
  /// Watches that run or are being started.
  [[nodiscard]] virtual std::size_t count() const = 0;
};

/// Makes the session of a worker that gets its messages with `send`.
using WatchSessionFactory =
    std::function<std::unique_ptr<IWatchSession>(std::function<void(std::string message)> send)>;

}  // namespace svc::hostworkers
