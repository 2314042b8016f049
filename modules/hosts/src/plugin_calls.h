#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "svc/http/http.h"
#include "svc/kernel/completion.h"

#include "heap_limits.h"
#include "host_rpc.h"
#include "loads.h"

namespace svc::hosts {

/// One call of a host entry as the script hands it over.
struct PluginCall {
  std::uint64_t load_id = 0;
  std::uint64_t number = 0;  ///< unique in its load
  std::string host_id;
  std::string method;  ///< JSON text
  std::chrono::milliseconds timeout{};
  /// Owns the input: its JSON text begins at `input_at`; empty = undefined.
  std::string argument;
  std::size_t input_at = 0;
  /// The output as the daemon sent it: JSON text when the daemon is right; "" = undefined. Fires on the io thread.
  Completion<std::string> done;

  [[nodiscard]] std::string_view input() const {
    return std::string_view(argument).substr(input_at);
  }
};

/// Calls of host entries: limits, the way to the daemon, cancellation, and the end of a load. Lives on the io thread.
class PluginCalls final : public ISessionListener,
                          public std::enable_shared_from_this<PluginCalls> {
 public:
  PluginCalls(Loads& loads, HostRpc& rpc, const Sessions& sessions)
      : loads_(loads), rpc_(rpc), sessions_(sessions) {}

  /// Calls from now on carry these; a worker that runs keeps what it was started with.
  void setHeapLimits(HeapLimits limits) { heap_limits_ = std::move(limits); }

  void call(PluginCall call);
  /// The caller has given up: the call fails with `aborted` and the worker is told. Does nothing when it is answered.
  void cancel(std::uint64_t load_id, std::uint64_t number);
  /// Ends a load: its calls fail with `plugin_not_running`, and every connected host stops its worker. Fires on the io
  /// thread, after limit dispose-wait at the latest.
  void dispose(std::uint64_t load_id, Completion<void> done);

  /// What was unloaded between the opening of the session and its socket is disposed on that host, too.
  void sessionOpened(Session& session) override;
  void sessionEnded(Session& session, const std::string& why) override;
  void messageArrived(Session& session, const DaemonMessage& message) override;

 private:
  void finish(const LoadPtr& load, std::uint64_t number, Result<std::string> output);

  Loads& loads_;
  HostRpc& rpc_;
  const Sessions& sessions_;
  HeapLimits heap_limits_;
};

}  // namespace svc::hosts
