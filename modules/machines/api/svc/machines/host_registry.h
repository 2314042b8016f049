#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::machines {

/// A machine as other modules see it. A value: a snapshot.
struct Host {
  std::string id;
  std::string name;
  std::string type = "persistent";  ///< or "ephemeral"
  bool is_server = false;           ///< the server's own machine
  bool connected = false;
  std::int64_t created_at = 0;
};

/// What a daemon says about itself when it opens a session.
struct SessionFacts {
  std::string instance_id;
  std::string host_name;
  std::string host_type;
  std::string platform;
  std::string data_directory;
  struct Agent {
    std::string id;
    std::string display_name;
    bool available = false;
  };
  std::vector<Agent> agents{};
};

/// The enrolled machines and their keys. Thread-safe and quick (any thread, the io thread included): everything is in memory,
/// the database follows.
class IHostRegistry {
 public:
  static constexpr ServiceId kId{"svc.machines.HostRegistry", 1};
  virtual ~IHostRegistry() = default;

  /// The server's own machine first, then ascending by name.
  [[nodiscard]] virtual std::vector<Host> list() const = 0;
  [[nodiscard]] virtual std::optional<Host> find(std::string_view host_id) const = 0;
  /// Id of the host whose key this is (without "Bearer "); `unauthorized` when it is nobody's, revoked or replaced. The first use
  /// of a new key disables the host's earlier ones.
  [[nodiscard]] virtual Result<std::string> authenticate(std::string_view host_key) = 0;

  /// A session of the host has opened. Connected hosts stay so until disconnected(): the caller waits for the grace.
  virtual void connected(const std::string& host_id, const SessionFacts& facts) = 0;
  virtual void disconnected(const std::string& host_id) = 0;
  /// The host's daemon is alive. Cheap; durable only now and then.
  virtual void seen(const std::string& host_id) = 0;
  /// The daemon speaks another protocol; shown in the record until the next connected(). `platform` as the daemon says, empty =
  /// not known. True when its protocol is older than the server's and the server has a daemon for that platform.
  [[nodiscard]] virtual bool rejectedProtocol(const std::string& host_id, int protocol_version,
                                              std::string_view platform) = 0;

  /// Called (any thread) after a host was removed or its keys were revoked: its session must end with `removed`.
  [[nodiscard]] virtual Handle onRemoved(
      std::function<void(const std::string& host_id)> listener) = 0;
};

}  // namespace svc::machines
