#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "svc/common/limits/hosts.h"
#include "svc/hosts/host_commands.h"
#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "answer_check.h"
#include "pending_requests.h"
#include "sessions.h"

namespace svc::hosts {

/// Commands to daemons and their answers. Lives on the io thread; send() may be called from any thread.
///
/// The requests of one session are at most kUnanswered bytes together, so that calls alone never fill its socket's backlog:
/// more are refused with `too_many_calls`.
///
/// What a daemon answers to send() is checked here, for everybody who hands it on: an answer to another command, or without the members
/// that the contract has for this one, is `host_error` and names machine and command. A long one is looked at by a worker.
class HostRpc final : public IHostCommands,
                      public ISessionListener,
                      public std::enable_shared_from_this<HostRpc> {
 public:
  static constexpr std::size_t kUnanswered = 2 * limits::kIpcMessage;

  HostRpc(http::IReactor& reactor, IWorkerPool& workers, const IClock& clock,
          machines::IHostRegistry& registry, Sessions& sessions);

  void send(const std::string& host_id, std::string command, std::chrono::milliseconds wait,
            Completion<std::string> done) override;

  using Answered = PendingRequests::Answered;
  /// `command` is the JSON text of the command object in pieces. The errors are those of IHostCommands::send. Returns what
  /// forget() takes; 0 when `done` has been called already.
  std::uint64_t request(const std::string& host_id, std::initializer_list<std::string_view> command,
                        std::chrono::milliseconds wait, Answered done);
  /// Drops `done`; false when the request is answered.
  bool forget(std::uint64_t request) { return pending_->forget(request); }
  /// A command whose answer nobody waits for; dropped when the host is not connected.
  void notify(const std::string& host_id, std::initializer_list<std::string_view> command);

  void sessionOpened(Session& session) override;
  void sessionEnded(Session& session, const std::string& why) override;
  void messageArrived(Session& session, const DaemonMessage& message) override;

 private:
  [[nodiscard]] Error unreachable(const std::string& host_id) const;
  [[nodiscard]] std::string named(const std::string& host_id) const;
  void check(const std::string& host_id, AskedCommand asked, std::string answer,
             Completion<std::string> done);
  [[nodiscard]] std::string message(std::uint64_t request,
                                    std::initializer_list<std::string_view> command) const;

  http::IReactor& reactor_;
  IWorkerPool& workers_;
  machines::IHostRegistry& registry_;
  Sessions& sessions_;
  /// Of every request id: an answer to what an earlier server process asked must not look like one of ours.
  const std::string prefix_;
  const std::shared_ptr<PendingRequests> pending_;
};

}  // namespace svc::hosts
