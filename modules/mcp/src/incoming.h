#pragma once

#include <string>
#include <string_view>

#include "svc/http/http.h"

#include "clients.h"
#include "counters.h"
#include "envelope.h"
#include "message.h"

namespace svc::mcp {

/// What the client of a token is told that works no more.
inline constexpr std::string_view kRevoked = "the token of this client was revoked";

[[nodiscard]] inline std::string scopedSession(const TokenPtr& token, const std::string& session) {
  return session.empty() || !token ? session : token->id + '\n' + session;
}

/// One JSON-RPC request and how its client can be answered.
struct Incoming {
  http::ExchangePtr exchange;
  Message message;
  Meta meta;
  Era era = Era::kHandshake;
  /// What its handshake was answered with; empty = the client does not send it.
  std::string session{};
  TokenPtr token{};  ///< null = none was sent
  ClientPtr client{};

  [[nodiscard]] bool modern() const { return era == Era::kModern; }
  [[nodiscard]] Caller caller() const { return token ? token->caller : Caller(); }
  [[nodiscard]] bool revoked() const { return token && token->revoked; }
  /// The session within what the token opens: nobody else's request can be named by it. Empty without a session.
  [[nodiscard]] std::string scopedSession() const { return mcp::scopedSession(token, session); }
};

/// Whether the client takes an event stream as an answer.
[[nodiscard]] bool takesStreams(const http::Request& request);
/// Whether the client says that it has ended when its connection does, as `svc mcp` does.
[[nodiscard]] bool endsWithConnection(const http::Request& request);
/// An event stream that no proxy keeps back.
[[nodiscard]] http::Response streamHead();
/// Answers with one JSON-RPC message.
void respond(http::IExchange& exchange, unsigned status, std::string message);
/// Answers with 401: `why` is for people.
void unauthorized(http::IExchange& exchange, const std::string& why);
/// Answers with an error, which is counted; its id is that of the request.
void refuse(const Incoming& incoming, Refusal refusal, Counters& counters);

}  // namespace svc::mcp
