#pragma once

#include <string>

#include "svc/common/json.h"

#include "console.h"

namespace svc::client {

/// The lines that describe one plugin record (`svc plugin list`), each ended by a newline.
[[nodiscard]] std::string pluginBlock(const common::Json& record, const Console& console);
/// The block and what `svc plugin show` adds: directory, last error with its stack, counters, problems.
[[nodiscard]] std::string pluginDetails(const common::Json& record, const Console& console);

/// Whether the plugin runs on only because its last reload did not come off.
[[nodiscard]] bool hasFailedReload(const common::Json& record);

/// What brings a plugin back that does not run.
[[nodiscard]] std::string fixFor(const common::Json& record);

/// 0 when the plugin runs, else the code an install of it ends with.
[[nodiscard]] int exitCodeForStatus(const common::Json& record);

/// What a person may do now with a plugin that was just loaded, on stderr of a terminal. `url` is the server's.
void tellNextSteps(const Console& console, const common::Json& record, const std::string& url);

}  // namespace svc::client
