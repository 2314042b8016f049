#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "svc/common/json.h"

#include "dispatch.h"

namespace svc::client {

/// Sends one request and hands a good answer to `show`, which prints it and chooses the exit code. Everything else is
/// reported here. With --json the envelope is printed here as well and `show` must print nothing.
[[nodiscard]] int request(Context& context, const HttpRequest& request,
                          const std::function<int(const common::Json& envelope)>& show);

/// As request(), for what the server has no route of its own: `part` takes the asked for from a good answer, or says why it is not
/// there, before anything is printed. With --json its envelope is printed.
[[nodiscard]] int requestPart(
    Context& context, const HttpRequest& request,
    const std::function<Result<common::Json>(const common::Json& envelope)>& part,
    std::string_view hint, const std::function<int(const common::Json& envelope)>& show);

/// /api/v1/plugins/<id><rest>
[[nodiscard]] std::string pluginPath(const std::string& id, const std::string& rest = {});

}  // namespace svc::client
