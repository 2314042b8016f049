#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::rpc {

class PendingCalls;

/// One RPC request between its arrival and its answer. Thread-safe; the first answer counts, later ones are dropped.
class PendingCall : public std::enable_shared_from_this<PendingCall>,
                    public boost::intrusive::list_base_hook<> {
 public:
  PendingCall(std::shared_ptr<PendingCalls> calls, http::ExchangePtr exchange);

  [[nodiscard]] const std::string& pluginId() const { return plugin_id_; }
  [[nodiscard]] const std::string& method() const { return method_; }
  /// What the script part gets: the method; "\n<plugin that calls>\n<method>" for a call that is not a plain client's.
  [[nodiscard]] std::string meta() const;
  [[nodiscard]] std::string takeBody() { return std::move(exchange_->request().body); }
  /// Stops when the client goes away and when the call runs out of time.
  [[nodiscard]] std::stop_token stopToken() const { return stop_.get_token(); }
  [[nodiscard]] bool answered() const { return answered_.load(std::memory_order_acquire); }

  void answer(Result<std::string> result);

 private:
  friend class PendingCalls;

  struct RequestStop {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void expire();

  std::shared_ptr<PendingCalls> calls_;
  http::ExchangePtr exchange_;
  std::string plugin_id_;
  std::string method_;
  std::stop_source stop_;
  std::stop_callback<RequestStop> on_disconnect_;
  std::atomic<bool> answered_{false};
  std::chrono::steady_clock::time_point deadline_;
};

/// Every call that waits, oldest first, swept once a second while there is one: a call costs a list link instead of a
/// timer, and its time limit is at most one second late. create() runs on the io thread, the rest anywhere.
class PendingCalls : public std::enable_shared_from_this<PendingCalls> {
 public:
  PendingCalls(http::IReactor& reactor, const IClock& clock) : reactor_(reactor), clock_(clock) {}

  [[nodiscard]] std::shared_ptr<PendingCall> create(http::ExchangePtr exchange);
  void remove(PendingCall& call);

 private:
  void arm();
  void sweep();
  [[nodiscard]] std::vector<std::shared_ptr<PendingCall>> takeExpired();

  http::IReactor& reactor_;
  const IClock& clock_;
  Handle timer_;  // io thread only
  std::mutex mutex_;
  boost::intrusive::list<PendingCall, boost::intrusive::constant_time_size<false>> calls_;
  bool armed_ = false;
};

}  // namespace svc::rpc
