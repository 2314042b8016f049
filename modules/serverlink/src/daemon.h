#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <spdlog/logger.h>

#include "svc/kernel/completion.h"

#include "credential.h"
#include "enrollment.h"
#include "self_update.h"
#include "server_link.h"

namespace svc::serverlink {

/// What the command line and the configuration say.
struct DaemonSettings {
  bool join = false;
  bool enroll_only = false;
  bool local = false;
  bool ephemeral = false;
  std::string server;
  std::string code;
  std::string name;
  std::string fingerprint;
  std::string enroll_key;  ///< of a local daemon; read from its descriptor
  std::filesystem::path data_directory;
  int protocol_version = 0;
  bool auto_update = false;
  /// This process goes on where another version of the program has stopped: what the command line asks for once is done.
  bool resumed = false;
};

/// What a daemon does beside its work. Main thread.
struct DaemonActions {
  std::function<void(const std::string& text)> print;  ///< a line for who has typed the command
  std::function<void(const std::string& reason)> shutdown;  ///< ends well
  std::function<void(const std::string& reason)> fail;      ///< ends with status 1
  /// The server has a newer daemon, and gives it to whoever has this key. Only with auto_update.
  std::function<void(UpdateOffer offer)> update;
};

/// Makes this machine a host of a server and keeps it connected: which credential, which address, and what happens when the server
/// does not want it any more. Main thread.
class Daemon final : public std::enable_shared_from_this<Daemon> {
 public:
  Daemon(DaemonSettings settings, ITransport& transport, ServerLink& link, DaemonActions actions,
         std::shared_ptr<spdlog::logger> log);

  /// Reads what there is. The error says what to run.
  [[nodiscard]] Status prepare();
  /// Enrolls when that is asked for, or needed and possible.
  void enrollIfNeeded(Completion<void> done);
  void connect();

 private:
  [[nodiscard]] Status checkJoin() const;
  [[nodiscard]] bool hasToJoin() const;
  [[nodiscard]] Status takeDirectory();
  void enrollWith(std::string key, Completion<void> done);
  void knowOwner();
  void keepOwner();
  [[nodiscard]] Endpoint endpoint() const;
  [[nodiscard]] Status adopt(Enrollment enrollment);
  void announce(const Enrollment& enrollment) const;
  void warnOfAddress() const;
  void onEnded(SessionEnd end, const std::string& why);

  const DaemonSettings settings_;
  ITransport& transport_;
  ServerLink& link_;
  DaemonActions actions_;
  std::shared_ptr<spdlog::logger> log_;
  CredentialFile file_;
  const std::string instance_id_;
  std::optional<ServerAddress> server_;  // given, or where the credential is good
  std::string fingerprint_;
  std::optional<Credential> credential_;
  std::shared_ptr<ServerOwner> owner_;
  Handle opened_;
  bool key_used_ = false;
};

}  // namespace svc::serverlink
