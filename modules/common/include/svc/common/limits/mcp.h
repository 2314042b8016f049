#pragma once

#include <chrono>
#include <cstddef>

/// Clients of the Model Context Protocol. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr milliseconds kToolDetach = 50s;
/// Between two signs of life of a call from an MCP client, and before the first.
inline constexpr milliseconds kMcpProgress = 5s;
/// Between two signs of life of a stream of changes.
inline constexpr milliseconds kMcpKeepAlive = 15s;
/// Changes of a list within this time are one message.
inline constexpr milliseconds kMcpChangeJoin = 200ms;
/// Entries of one page of a list.
inline constexpr std::size_t kMcpPage = 250;
/// Streams of changes in all, and of one client.
inline constexpr std::size_t kMcpStreams = 512;
inline constexpr std::size_t kMcpStreamsClient = 128;
/// Requests that plugins have not answered, detached calls included.
inline constexpr std::size_t kMcpCalls = 1024;
/// Bytes of a request's id or a progress token as JSON.
inline constexpr std::size_t kMcpId = 256;
/// Bytes of a session's name.
inline constexpr std::size_t kMcpSession = 1024;
inline constexpr std::size_t kMcpInstructions = 32UL * 1024;
/// Characters of a tool's name that models take.
inline constexpr std::size_t kMcpToolName = 64;
/// Resources that one stream follows.
inline constexpr std::size_t kMcpUris = 64;
/// Random bytes of a client's bearer token.
inline constexpr std::size_t kMcpToken = 32;
/// Tokens of clients that are not revoked.
inline constexpr std::size_t kMcpTokens = 1000;
/// Characters of the name that a person gives a token.
inline constexpr std::size_t kMcpTokenName = 100;
/// Calls that the list of what clients called remembers.
inline constexpr std::size_t kMcpHistory = 500;
/// The same for the lists and the handshake of an MCP client, which gives up on a server that takes long; it is told of changes later.
inline constexpr milliseconds kMcpPluginsStart = 3s;

}  // namespace svc::limits
