#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/body_reader.h"
#include "svc/http/http.h"

#include "thread_records.h"

namespace svc::threads {

/// The JSON object of a request; no body reads as an empty one.
[[nodiscard]] Result<common::BodyReader> readBody(const http::Request& request);
/// "true" or "false" of the query; `invalid_input`.
[[nodiscard]] Result<std::optional<bool>> queryFlag(const http::Request& request,
                                                    std::string_view name);
/// A number from `least` to `most`; nullopt when absent. `invalid_input` names both.
[[nodiscard]] Result<std::optional<std::int64_t>> queryNumber(const http::Request& request,
                                                              std::string_view name,
                                                              std::int64_t least,
                                                              std::int64_t most);
/// A member of the body in the same way; a decimal text is a number, too.
[[nodiscard]] std::optional<std::int64_t> bodyNumber(common::BodyReader& body,
                                                     std::string_view key);
/// Values of a parameter that is repeated or has commas.
[[nodiscard]] std::vector<std::string> queryList(const http::Request& request,
                                                 std::string_view name);
[[nodiscard]] Result<ThreadFilter> readFilter(const http::Request& request);
[[nodiscard]] Result<ThreadPatch> readPatch(const http::Request& request);
/// Without blanks around it; an issue in the body when it is empty or too long.
[[nodiscard]] std::string readName(common::BodyReader& body, std::string_view key,
                                   std::size_t characters);

void respond(http::IExchange& exchange, unsigned status, const common::Json& members);
/// The answer with one member, or the error.
void answer(http::IExchange& exchange, unsigned status, const char* member,
            Result<common::Json> record);
/// The members of the answer, or the error.
void answer(http::IExchange& exchange, Result<common::Json> members);
/// Runs `job` on a worker; `overloaded` when none can take it.
void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(const http::ExchangePtr&)> job);

}  // namespace svc::threads
