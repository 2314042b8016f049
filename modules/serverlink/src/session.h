#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "server_messages.h"
#include "transport.h"

namespace svc::serverlink {

/// Who connects where.
struct SessionIdentity {
  Endpoint endpoint;
  std::string host_id;
  std::string host_key;
  std::string host_type;
  std::string host_name;
  std::string instance_id;  ///< of this process
  std::string platform;
  std::string data_directory;
  int protocol_version = 0;
  bool auto_update = false;  ///< what the log advises when the server speaks a newer protocol
};

enum class SessionEnd : std::uint8_t {
  kReplaced,      ///< another daemon of this host has taken over
  kRemoved,       ///< the host is no more
  kUnauthorized,  ///< the key is not accepted, and never was in this process
};

/// What a session does, as its owner sees it. Main thread.
class ISessionOwner {
 public:
  virtual ~ISessionOwner() = default;
  virtual void onSessionOpened(const std::vector<PluginGeneration>& generations) = 0;
  /// That session is over. Another may follow.
  virtual void onSessionLost() = 0;
  /// The answer goes to the session that has asked, or nowhere when that is gone. `answer` may fire on any thread.
  virtual void onRequest(CommandRequest request, Completion<std::string> answer) = 0;
  /// What the server says to another module, as JSON text.
  virtual void onMessage(const std::string& type, const std::string& text) = 0;
  /// The server speaks a newer protocol and has a daemon for this machine that does, too. At each refusal; the session tries on.
  virtual void onUpdateOffered(std::int64_t server_protocol) = 0;
  /// The server refuses this machine: it has ended what ran here for it, or knows nothing of it. Once after each session; it tries on.
  virtual void onSessionRefused() = 0;
  /// There will be no session any more. `why` is a sentence.
  virtual void onSessionEnded(SessionEnd end, const std::string& why) = 0;
};

/// Keeps a session with the server: opens it, renews its lease, and opens the next one when it is lost. Main thread, except
/// send().
class Session final : public std::enable_shared_from_this<Session> {
 public:
  struct Surroundings {
    ITransport& transport;
    IMainExecutor& main;
    const IClock& clock;
    ISessionOwner& owner;
    std::shared_ptr<spdlog::logger> log;
    /// Spreads reconnections; in [0, 1).
    std::function<double()> random;
  };

  Session(Surroundings surroundings, SessionIdentity identity);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  void start();
  /// One message to the server. Any thread. Dropped while no session is open, with a line in the log when it is too large.
  void send(std::string message);
  /// See IServerLink::backlog().
  [[nodiscard]] std::size_t backlog() const;
  /// Sends what waits, closes the session, and opens no other. Fires when the connection has ended.
  void stop(Completion<void> done);

  [[nodiscard]] const SessionIdentity& identity() const { return identity_; }

 private:
  class Listener;

  void open();
  void onAnswer(Result<HttpAnswer> answer);
  void onRefused(const Refusal& refusal);
  void keepOutFor(const Refusal& refusal);
  void connect(OpenedSession opened);
  void onOpened();
  void onMessage(const std::string& text);
  void onCommand(CommandRequest request);
  void onSessionClose(const std::string& reason);
  void onProtocolMismatch(const Refusal& refusal);
  void onClosed(const SocketEnd& end);
  void heartbeat();
  [[nodiscard]] std::uint64_t progressOfSocket();
  void renewLease();
  [[nodiscard]] bool giveUpStale();
  void drop(std::uint16_t code, const std::string& reason);
  bool lost();
  bool letGo();
  void finish(SessionEnd end, const std::string& why);
  void retry();
  void retryAfter(std::chrono::milliseconds first, std::chrono::milliseconds most, int attempt);
  void reportProblem(const std::string& kind, const std::string& text);
  [[nodiscard]] std::string server() const { return identity_.endpoint.server.text(); }

  Surroundings at_;
  const SessionIdentity identity_;
  std::optional<OpenedSession> opened_;  // that whose socket there is
  std::shared_ptr<Listener> listener_;
  mutable std::mutex socket_mutex_;
  std::shared_ptr<ISocket> socket_;       // guarded; replaced on the main thread only
  std::shared_ptr<ISocket> open_socket_;  // guarded; the same once it is open
  std::chrono::steady_clock::time_point started_{};
  std::chrono::steady_clock::time_point acknowledged_{};
  std::int64_t acknowledged_ms_ = 0;
  /// ISocket::progress() at the last heartbeat.
  std::uint64_t progress_ = 0;
  Handle heartbeat_timer_;
  Handle lease_timer_;
  Handle retry_timer_;
  int attempts_ = 0;
  int mismatches_ = 0;
  bool accepted_ = false;  // the key has been, once
  bool kept_out_ = false;  // since the last session, and the owner knows
  std::chrono::steady_clock::time_point lost_{};
  bool stopped_ = false;
  std::string problem_;  // that the log has shown last; empty while all is well
  bool lateness_shown_ = false;
  Completion<void> stop_done_;
};

}  // namespace svc::serverlink
