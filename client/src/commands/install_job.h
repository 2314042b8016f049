#pragma once

#include "svc/common/json.h"

#include "dispatch.h"

namespace svc::client {

/// Shows the steps of an install job on a terminal and asks until it has ended; its last record. Ctrl-C ends the wait,
/// not the install, and says so. An error when the server does not answer any more.
[[nodiscard]] Result<common::Json> awaitJob(Context& context, Api& api, common::Json job);

}  // namespace svc::client
