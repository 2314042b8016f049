#pragma once

#include <functional>
#include <string>

#include "commands/record_lookup.h"

namespace svc::client {

[[nodiscard]] inline int withEnvironment(
    Context& context, const std::string& wanted,
    const std::function<int(Api& api, const common::Json& environment)>& use) {
  return withRecord(context, kEnvironmentRecords, wanted, use);
}
/// /api/v1/environments/<id><rest>
[[nodiscard]] std::string environmentPath(const common::Json& environment, const char* rest = "");
/// "fix-test (env_1)", or the id alone.
[[nodiscard]] std::string environmentLabel(const common::Json& environment);
/// Asks what a machine may be unable to say: then that is complained of, and the code is 1. `show` gets an answer that is available,
/// or says that there is nothing ("absent").
[[nodiscard]] int askOutcome(const Context& context, Api& api, const std::string& path,
                             const std::function<void(const common::Json& envelope)>& show);
/// Lines of a patch, added and removed ones in colour where there are colours.
[[nodiscard]] std::string paintedPatch(const Console& console, std::string_view patch);

}  // namespace svc::client
