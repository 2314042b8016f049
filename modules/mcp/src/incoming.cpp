#include "incoming.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"

namespace svc::mcp {

bool takesStreams(const http::Request& request) {
  const auto* const accept = request.header("accept");
  return accept != nullptr && (accept->find("text/event-stream") != std::string::npos ||
                               accept->find("*/*") != std::string::npos);
}

bool endsWithConnection(const http::Request& request) {
  const auto* const said = request.header("Svc-Ends-With-Connection");
  return said != nullptr && *said == "true";
}

http::Response streamHead() {
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-cache, no-transform"}, {"X-Accel-Buffering", "no"}}};
}

void respond(http::IExchange& exchange, unsigned status, std::string message) {
  http::Response response{.status = status,
                          .content_type = "application/json",
                          .headers = {{"Cache-Control", "no-store"}},
                          .body = std::move(message)};
  if (status == 503) {
    response.headers.push_back({"Retry-After", "1"});
  }
  exchange.respond(std::move(response));
}

void unauthorized(http::IExchange& exchange, const std::string& why) {
  http::Response response{
      .status = 401,
      .headers = {{"Cache-Control", "no-store"},
                  {"WWW-Authenticate", fmt::format(R"(Bearer realm="svc", error="invalid_token", )"
                                                   R"(error_description="{}")",
                                                   why)}},
      .body = common::errorEnvelope(Error{errc::kUnauthorized, why})};
  exchange.respond(std::move(response));
}

void refuse(const Incoming& incoming, Refusal refusal, Counters& counters) {
  ++counters.refused;
  refusal.id = incoming.message.id;
  respond(*incoming.exchange, refusal.status, errorText(refusal));
}

}  // namespace svc::mcp
