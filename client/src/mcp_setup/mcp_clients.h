#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "mcp_setup/json_member.h"
#include "server_locator.h"

namespace svc::client {

/// The name under which clients know the service; they put it in front of the names of tools.
inline constexpr const char* kMcpServerName = "svc";

/// How a client is to reach the service.
struct McpConnection {
  /// Program and arguments of the bridge; empty = over HTTP.
  std::vector<std::string> command{};
  std::string url{};
  std::string secret{};  ///< of a token; empty = none
};

/// A program that can be a client, and where it keeps its servers.
struct McpClientKind {
  const char* id;
  const char* title;
  /// What it is called on PATH.
  const char* program;
  /// Its own configuration.
  std::filesystem::path (*own_file)(const Environment& environment);
  /// The one of a project, below its directory.
  const char* project_file;
  bool toml;
  const char* container;  ///< the member or table that has the servers
  common::Json (*entry)(const McpConnection& connection);
  /// What a person does next.
  const char* next;
};

/// In the order in which they are shown.
[[nodiscard]] std::span<const McpClientKind> mcpClientKinds();
[[nodiscard]] const McpClientKind* findMcpClientKind(const std::string& id);

/// For a client that is not among them.
[[nodiscard]] common::Json genericMcpEntry(const McpConnection& connection);

/// The text of its configuration with the service in it.
[[nodiscard]] Result<Edit> setMcpEntry(const McpClientKind& kind, const std::string& text,
                                       const McpConnection& connection, bool force);
/// The text of its configuration without the service. Errors: `conflict` when the entry is for something else, or written by hand, and
/// `force` is false; `invalid_input` when it cannot be read.
[[nodiscard]] Result<Edit> removeMcpEntry(const McpClientKind& kind, const std::string& text,
                                          bool force);
/// Whether an entry, or a text with one, starts `svc mcp` or goes to the address of a service.
[[nodiscard]] bool reachesService(const std::string& text);
/// Whether its configuration has an entry of this name.
[[nodiscard]] bool hasMcpEntry(const McpClientKind& kind, const std::string& text);
/// What is to be added to an empty file.
[[nodiscard]] std::string mcpSnippet(const McpClientKind& kind, const McpConnection& connection);

}  // namespace svc::client
