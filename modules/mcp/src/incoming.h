#pragma once

#include <string>
#include <string_view>

#include "svc/http/http.h"

#include "envelope.h"
#include "message.h"

namespace svc::mcp {

/// One JSON-RPC request and how its client can be answered.
struct Incoming {
  http::ExchangePtr exchange;
  Message message;
  Meta meta;
  Era era = Era::kHandshake;
  /// What its handshake was answered with; empty = the client does not send it.
  std::string session{};

  [[nodiscard]] bool modern() const { return era == Era::kModern; }
};

/// Whether the client takes an event stream as an answer.
[[nodiscard]] bool takesStreams(const http::Request& request);
/// An event stream that no proxy keeps back.
[[nodiscard]] http::Response streamHead();
/// Answers with one JSON-RPC message.
void respond(http::IExchange& exchange, unsigned status, std::string message);
/// Answers with an error; its id is that of the request.
void refuse(const Incoming& incoming, Refusal refusal);

}  // namespace svc::mcp
