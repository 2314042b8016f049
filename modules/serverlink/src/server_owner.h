#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "svc/base/socket_owner.h"
#include "svc/kernel/result.h"

namespace svc::serverlink {

/// What answers at the server's address is of a user who must not have the key.
inline constexpr Errc kForeignServer{"foreign_server"};

/// Which user of this machine may have the server's end of connections that stay on it: whoever listens at a port when the server does
/// not is no server. Thread-safe.
class ServerOwner {
 public:
  using Owner = base::SocketOwner;
  /// Of the other end of a connected socket. Any thread.
  using Ask = std::function<Owner(int socket)>;

  enum class Server : std::uint8_t {
    kJoined,  ///< the one that this machine has joined
    /// The one that has started this process. It holds its port for as long as this process runs, so that a user whom the system
    /// cannot tell is let in.
    kParent,
  };

  /// `known`: whom it belongs to, or that the system did not tell. Nothing: everybody is let in until keep().
  ServerOwner(Server server, std::optional<Owner> known, Ask ask = kernelsAnswer());

  [[nodiscard]] Owner ask(int socket) const { return ask_(socket); }
  /// Whether something with a key may be sent to `server`. kForeignServer says who is there, and what to do. root is let in.
  [[nodiscard]] Status admit(const Owner& found, const std::string& server);
  /// Whom the last connection was of that was let in; nothing when none stayed on this machine.
  [[nodiscard]] std::optional<Owner> remembered() const;
  /// From now on the server belongs to remembered(), unless it is known already. False when there is nothing new to know.
  bool keep();

 private:
  [[nodiscard]] static Ask kernelsAnswer();
  [[nodiscard]] Error refusal(const Owner& found, const Owner& known,
                              const std::string& server) const;

  const Server server_;
  const Ask ask_;
  mutable std::mutex mutex_;
  std::optional<Owner> known_;  // guarded
  std::optional<Owner> last_;   // guarded
};

}  // namespace svc::serverlink
