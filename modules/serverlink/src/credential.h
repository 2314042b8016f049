#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <spdlog/logger.h>

#include "svc/base/socket_owner.h"
#include "svc/kernel/result.h"

namespace svc::serverlink {

/// What makes this machine a host of a server.
struct Credential {
  std::string server_url;
  std::string host_id;
  std::string host_key;
  std::string host_type = "persistent";  ///< or "ephemeral"
  /// SHA-256 (lower-case hex) of the only certificate that is accepted; empty = those the system trusts.
  std::string server_certificate{};
  /// Whom the server's end of connections belonged to, kUser or kUnknown, where they stay on this machine. Nothing: they never have,
  /// or nobody has looked.
  std::optional<base::SocketOwner> server_user{};
  /// The server on this machine has started the daemon. Nothing in records of before there was the difference.
  std::optional<bool> of_server{};

  friend bool operator==(const Credential&, const Credential&) = default;
};

/// auth.json of the daemon's directory: mode 0600, replaced as a whole. Main thread.
class CredentialFile {
 public:
  CredentialFile(std::filesystem::path directory, std::shared_ptr<spdlog::logger> log);

  /// Nothing when there is no file. A file that others may read is made private, with a warning. `invalid_argument` when it is
  /// not what save() writes, `unavailable` when it cannot be read.
  [[nodiscard]] Result<std::optional<Credential>> load() const;
  /// Durable when it returns.
  [[nodiscard]] Status save(const Credential& credential) const;
  /// Nothing to remove is success.
  [[nodiscard]] Status remove() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[nodiscard]] Status makePrivate() const;

  std::filesystem::path path_;
  std::shared_ptr<spdlog::logger> log_;
};

}  // namespace svc::serverlink
