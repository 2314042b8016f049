#pragma once

#include <string>
#include <utility>

#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/http/http.h"

namespace svc::rpc {

/// 200 with `{ok: true}` and the members of `object`.
inline void respondOk(http::IExchange& exchange, const common::Json& object) {
  http::Response response;
  response.body = common::okEnvelope(object);
  exchange.respond(std::move(response));
}

/// The error envelope of a failure that belongs to one plugin.
inline void failFor(http::IExchange& exchange, const std::string& plugin_id, Error error) {
  exchange.fail(common::withDetail(std::move(error), "pluginId", plugin_id));
}

}  // namespace svc::rpc
