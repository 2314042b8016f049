#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/http/http.h"

namespace svc::environments {

/// Empty when it is absent.
[[nodiscard]] std::string queryText(const http::Request& request, std::string_view name);
/// { type, mergeBaseBranch?, sha? } of the parameters target, mergeBaseBranch and sha.
[[nodiscard]] common::Json queryTarget(const http::Request& request);
/// What of a list is asked for; without a limit all of it, because callers take it for complete.
struct Page {
  std::size_t limit = std::numeric_limits<std::size_t>::max();
  std::size_t offset = 0;
};
[[nodiscard]] Result<Page> readPage(const http::Request& request);
/// { query?, limit }; `invalid_input` beyond `most`.
[[nodiscard]] Result<common::Json> readListQuery(const http::Request& request, std::size_t most,
                                                 std::size_t normal);

/// nullopt stays, "" was null.
struct Edit {
  std::optional<std::string> name{};
  std::optional<std::string> merge_base_branch{};
};
[[nodiscard]] Result<Edit> readEdit(const http::Request& request);
/// { paths, target }
[[nodiscard]] Result<common::Json> readPatchRequest(const http::Request& request);
/// Empty = the request says none.
[[nodiscard]] Result<std::string> readCommitMessage(const http::Request& request);

/// The members behind `ok`.
void respond(const http::ExchangePtr& exchange, const common::Json& members);
/// What the caller got wrong keeps its code.
[[nodiscard]] Error machineFailure(Error error);
[[nodiscard]] common::Json notApplicable(const std::string& why);

}  // namespace svc::environments
