#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/logger.h>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"

#include "daemon_message.h"
#include "session.h"

namespace svc::hosts {

/// What follows from sessions. On the io thread.
class ISessionListener {
 public:
  virtual ~ISessionListener() = default;
  /// Messages reach the daemon from now on.
  virtual void sessionOpened(Session& session) = 0;
  /// None does any more; `why` is for people, empty = the connection was lost.
  virtual void sessionEnded(Session& session, const std::string& why) = 0;
  virtual void messageArrived(Session& session, const DaemonMessage& message) = 0;
  /// The grace after a session is over, or the host was removed.
  virtual void hostDisconnected(const std::string& /*host_id*/) {}
  /// Whether work runs there that a disconnection would end.
  [[nodiscard]] virtual bool hasWork(const std::string& /*host_id*/) { return false; }
};

/// The sessions of all daemons: one per host. Decides when a host is connected and tells the registry. Lives on the io thread.
class Sessions final : public std::enable_shared_from_this<Sessions> {
 public:
  Sessions(http::IReactor& reactor, const IClock& clock, machines::IHostRegistry& registry,
           std::shared_ptr<spdlog::logger> log);

  /// In the order given. They outlive the sessions.
  void listen(ISessionListener& listener) { listeners_.push_back(&listener); }

  /// A new session of the host, which ends its previous one. `unavailable` while the server stops.
  [[nodiscard]] Result<SessionPtr> open(const std::string& host_id, machines::SessionFacts facts,
                                        Announced announced);
  /// The handler of the session's WebSocket. Errors: `unauthorized` (no such session), `forbidden` (another host's),
  /// `inactive_session`, `conflict` (it has one).
  [[nodiscard]] Result<std::shared_ptr<http::IWebSocketHandler>> accept(
      const std::string& session_id, const std::string& host_id);
  /// The open session of the host, or null.
  [[nodiscard]] SessionPtr find(const std::string& host_id) const;
  /// Every open session.
  [[nodiscard]] std::vector<SessionPtr> connected() const;

  /// The host is removed, or its keys are revoked.
  void remove(const std::string& host_id);
  /// Ends every session; new ones are refused.
  void shutDown();

  // For sessions.
  void opened(Session& session);
  void heard(Session& session);
  /// A part of a message has come.
  void receiving(Session& session);
  void received(Session& session, const DaemonMessage& message);
  void broken(Session& session, const std::string& what);
  void lost(Session& session, const std::string& why);

 private:
  struct Host {
    SessionPtr session;
    /// The registry takes it for connected.
    bool connected = false;
    Handle grace;
  };

  void acknowledge(Session& session);
  void armLease(Session& session, std::chrono::milliseconds delay);
  void checkLease(Session& session);
  void retire(Session& session, const std::string& why);
  void startGrace(const std::string& host_id);
  void extendGrace(const std::string& host_id);
  [[nodiscard]] bool hasWork(const std::string& host_id) const;
  void disconnect(const std::string& host_id);

  http::IReactor& reactor_;
  const IClock& clock_;
  machines::IHostRegistry& registry_;
  const std::shared_ptr<spdlog::logger> log_;
  std::vector<ISessionListener*> listeners_;
  bool shut_down_ = false;
  std::uint64_t last_number_ = 0;
  std::map<std::string, Host, std::less<>> hosts_;
  std::map<std::string, SessionPtr, std::less<>> by_id_;
  /// Ids of sessions that are over and their hosts, newest last: a daemon that comes late learns more than "unknown".
  std::deque<std::pair<std::string, std::string>> over_;
};

}  // namespace svc::hosts
