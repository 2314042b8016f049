#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "svc/common/body_reader.h"
#include "svc/http/http.h"

namespace svc::machines {

/// The JSON object of a request; no body reads as an empty one.
[[nodiscard]] Result<common::BodyReader> readBody(const http::Request& request);
/// A member that may be absent or null.
[[nodiscard]] std::optional<std::string> stringOrNull(common::BodyReader& body,
                                                      std::string_view key);
/// `hostId`, which may be absent or null; anything that cannot be one is an issue.
[[nodiscard]] std::optional<std::string> hostIdMember(common::BodyReader& body);
/// What `text` is as the name of a host; an issue of `key` when it cannot be one. Empty stays empty.
[[nodiscard]] std::string hostNameMember(common::BodyReader& body, std::string_view key,
                                         const std::optional<std::string>& text);

/// The rules of a route that daemons call and browsers do not: a body is application/json.
[[nodiscard]] Status checkMediaType(const http::Request& request);
/// From a process of this machine, and not passed on by a proxy or sent by a page: `forbidden_origin` otherwise.
[[nodiscard]] Status checkDirectLoopback(const http::Request& request);

void respond(http::IExchange& exchange, unsigned status, const common::Json& members);
/// Runs `job` on a worker; `overloaded` when none can take it.
void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(http::IExchange&)> job);

}  // namespace svc::machines
