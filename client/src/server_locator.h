#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::client {

/// What the program reads from its surroundings.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::filesystem::path working_dir;
  /// Where this executable is; svcd is its neighbour.
  std::filesystem::path program_dir;
  /// Of the user; svcd finds it in the same way where HOME is not set.
  std::filesystem::path home{};
};

/// Flags that choose the server.
struct ServerChoice {
  std::string server;    ///< --server
  std::string data_dir;  ///< --data-dir
};

/// What a running server wrote about itself in its data directory.
struct ServerRecord {
  int pid = 0;
  std::string url;
  std::string version;
  std::int64_t started_at = 0;  ///< milliseconds since the epoch
  std::string access_token{};
};

struct ServerAddress {
  std::string url;
  /// Where the address comes from, for messages: "--server", "SVC_SERVER_URL" or the path of server.json.
  std::string origin;
  /// Set when it comes from server.json.
  std::optional<ServerRecord> record;
  /// What the server asks for where it cannot tell whose connection it is; of the server.json with this address while
  /// its process holds the lock of the data directory, else empty.
  std::string access_token{};
};

/// --data-dir, SVC_DATA_DIR, $XDG_DATA_HOME/svc, ~/.local/share/svc; absolute, and what svcd takes for these.
[[nodiscard]] std::filesystem::path dataDir(const ServerChoice& choice,
                                            const Environment& environment);

/// The content of <data>/server.json; nullopt when there is none or it is not readable.
[[nodiscard]] std::optional<ServerRecord> readServerRecord(const std::filesystem::path& data_dir);

/// The same, of the server that has the directory: its process holds the lock. A server that was killed leaves its record behind,
/// and a copy of the directory has the one of another server; whoever has that address must not get the token, nor what is meant for
/// the server of this directory.
[[nodiscard]] std::optional<ServerRecord> ownServerRecord(const std::filesystem::path& data_dir);

/// For what acts on the process that has the data directory: `refused` when there is one and --server or
/// SVC_SERVER_URL names another server. `command` for the message.
[[nodiscard]] Status requireOwnServer(std::string_view command, const ServerChoice& choice,
                                      const Environment& environment);

/// --server, SVC_SERVER_URL, then server.json. `unreachable` when none of them names a server or server.json one that has not got the
/// directory, `forbidden` when server.json cannot be read.
[[nodiscard]] Result<ServerAddress> locateServer(const ServerChoice& choice,
                                                 const Environment& environment);

}  // namespace svc::client
