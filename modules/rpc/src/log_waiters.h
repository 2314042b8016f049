#pragma once

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

namespace svc::rpc {

struct LogRequest {
  http::ExchangePtr exchange;
  std::string plugin_id;
  plugins::LogQuery query;
  std::chrono::milliseconds wait{0};
  bool lines_wanted = true;  ///< false: only the cursor (tail=0)
};

/// Log requests that are being answered. Lives on the io thread; lineWritten() may be called from any thread.
class LogWaiters : public std::enable_shared_from_this<LogWaiters> {
 public:
  LogWaiters(plugins::IPluginLogs& logs, http::IReactor& reactor, std::size_t limit)
      : logs_(logs), reactor_(reactor), limit_(limit) {}

  void start(LogRequest request);
  void lineWritten(const std::string& plugin_id);

 private:
  struct Waiter {
    LogRequest request;
    Handle deadline{};
    bool reading = false;
    bool changed = false;  ///< a line was written since the last read began
    bool expired = false;
  };
  using WaiterPtr = std::shared_ptr<Waiter>;

  void read(const WaiterPtr& waiter);
  void readDone(const WaiterPtr& waiter, Result<plugins::LogPage> page);
  void expire(const WaiterPtr& waiter);
  void finish(const WaiterPtr& waiter);
  void wake();

  plugins::IPluginLogs& logs_;
  http::IReactor& reactor_;
  const std::size_t limit_;
  std::list<WaiterPtr> waiters_;
  std::atomic<std::size_t> waiting_{0};
  std::mutex mutex_;
  std::set<std::string> written_;  // plugins with new lines since the last wake
};

}  // namespace svc::rpc
