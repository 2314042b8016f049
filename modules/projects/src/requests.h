#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "svc/common/body_reader.h"
#include "svc/http/http.h"

#include "project_registry.h"

namespace svc::projects {

/// The JSON object of a request; no body reads as an empty one.
[[nodiscard]] Result<common::BodyReader> readBody(const http::Request& request);
/// A member that may be absent or null.
[[nodiscard]] std::optional<std::string> stringOrNull(common::BodyReader& body,
                                                      std::string_view key);
/// "true" or "false" of the query; absent is false. `invalid_input`.
[[nodiscard]] Result<bool> queryFlag(const http::Request& request, std::string_view name);

/// Without blanks around it; `invalid_input` says what a name must be.
[[nodiscard]] Result<std::string> readProjectName(std::string_view text);
/// What can be seen of a path without its machine: `invalid_input` says what it must be.
[[nodiscard]] Status checkPath(std::string_view path);
/// The members hostId and path of `object`, which is the body or the member `within` of it. What is wrong is an issue of the body.
[[nodiscard]] Place readPlace(common::BodyReader& body, const common::Json& object,
                              std::string_view within);

void respond(http::IExchange& exchange, unsigned status, const common::Json& members);
/// Runs `job` on a worker; `overloaded` when none can take it.
void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(http::IExchange&)> job);

}  // namespace svc::projects
