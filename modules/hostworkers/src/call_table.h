#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "messages.h"

namespace svc::hostworkers {

/// The calls of one plugin, waiting for their worker or running in it. Every one is answered once: by the worker, at its deadline,
/// when it is cancelled, or when the worker ends. One that was answered before the worker did stays, without its caller, until
/// the worker has settled it or its grace is over. Main thread.
class CallTable {
 public:
  struct Listener {
    /// The worker has to be told to cancel the call.
    std::function<void(const std::string& number)> cancel;
    /// The handler did not settle in time after that.
    std::function<void()> stuck;
  };

  CallTable(IExecutor& main, Listener listener) : main_(main), listener_(std::move(listener)) {}
  CallTable(const CallTable&) = delete;
  CallTable& operator=(const CallTable&) = delete;

  /// Error: `too_many_calls`.
  [[nodiscard]] Status admit(const HostCall& call) const;
  void add(HostCall call, Completion<std::string> done);

  /// Takes every call of `generation` that was not sent, in the order they came, as messages for the worker.
  [[nodiscard]] std::vector<std::string> send(const std::string& generation);
  /// A call that was not sent.
  [[nodiscard]] const HostCall* firstWaiting() const;
  /// The worker's answer. Unknown numbers are calls that nobody waits for any more.
  void settle(const std::string& number, Result<std::string> result);
  /// Answers `aborted`. False when no such call waits or runs.
  bool cancel(const std::string& generation, const std::string& call_id);
  /// Cancels all, whose callers are gone.
  void cancelAll();
  /// Fails calls that were not sent; those of `generation` only when it is given.
  void failWaiting(const Error& error, const std::optional<std::string>& generation = {});
  /// The worker is gone: fails what it had.
  void failSent(const Error& error);

  [[nodiscard]] bool empty() const { return calls_.empty(); }
  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  [[nodiscard]] bool anySent() const;

 private:
  struct Entry {
    HostCall call;
    std::size_t bytes = 0;
    Completion<std::string> done;
    bool sent = false;
    Handle timer;  ///< deadline, then grace
  };
  using Calls = std::map<std::uint64_t, Entry>;

  void giveUp(Calls::iterator call, const Error& error);
  void failIf(const std::function<bool(const Entry&)>& concerned, const Error& error);

  IExecutor& main_;
  Listener listener_;
  Calls calls_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  /// All below it are sent, so that a call does not walk over those that run.
  std::uint64_t first_unsent_ = 0;
};

}  // namespace svc::hostworkers
