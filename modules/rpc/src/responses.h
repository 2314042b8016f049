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

/// An `invalid_input` with one issue at a query parameter.
[[nodiscard]] inline Error invalidQuery(const std::string& parameter, const std::string& what) {
  Error error{errc::kInvalidInput,
              "the query parameter \"" + parameter + "\" is not valid: " + what};
  auto issue = common::Json::object();
  issue.set("message", what).set("path", common::Json::Array{common::Json(parameter)});
  error.issues = common::Json(common::Json::Array{std::move(issue)}).dump();
  return error;
}

}  // namespace svc::rpc
