#pragma once

#include <list>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "svc/mcp/sources.h"

#include "incoming.h"
#include "open_requests.h"

namespace svc::mcp {

/// What a stream of changes wants to hear of.
struct Wanted {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string, std::less<>> uris{};
};

/// The wishes in `notifications` of `subscriptions/listen` that these capabilities can fulfil; a refusal when they are malformed.
[[nodiscard]] std::variant<Wanted, Refusal> wantedOf(std::string_view params,
                                                     const common::Json& capabilities);

/// Clients that wait for changes: `subscriptions/listen`, and GET before 2026-07-28. Io thread, except where it says otherwise.
class Streams : public std::enable_shared_from_this<Streams> {
 public:
  explicit Streams(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  /// A stream for a request: acknowledged first, ended by a result.
  void listen(const Incoming& incoming, Wanted wanted);
  /// A stream of a client with a handshake. Of several with one session the newest gets the messages.
  void open(const Incoming& incoming);
  /// Ends those that came with a token that does not work any more.
  void revoke(const TokenPtr& token);
  /// Joined for lim.mcpChangeJoin. Any thread.
  void changed(ListKind kind);
  void resourceUpdated(std::string uri);
  /// Ends every stream, and those that come from now on at once: a request may be on its way here.
  void close();
  /// Streams stay open again.
  void reopen() { closed_ = false; }

 private:
  struct Stream;
  using StreamPtr = std::shared_ptr<Stream>;

  /// What keeps another stream of this client from being opened; empty = nothing.
  [[nodiscard]] std::string fullness(const std::string& client) const;
  void add(StreamPtr stream);
  void remove(const StreamPtr& stream);
  /// Tells the client that the stream has come to its end.
  void end(Stream& stream) const;
  void planAnnouncement();
  void announce();
  void send(std::string_view method, bool Wanted::*list);
  void sendUpdated(const std::string& uri);
  void armKeepAlive();
  void keepAlive();

  const Surroundings surroundings_;
  std::list<StreamPtr> streams_;  // oldest first
  bool closed_ = false;
  Wanted pending_;
  Handle announcement_;
  Handle keep_alive_;
};

}  // namespace svc::mcp
