#include "form_request.h"

#include <cstdint>
#include <utility>

#include "svc/common/limits/agents.h"

namespace svc::agents {

FormRequest formRequestOf(const std::string& plugin_id, const common::Json& asked) {
  const auto& timeout = asked["timeoutMs"];
  return {.plugin_id = plugin_id,
          .renderer_id = asked["rendererId"].asString(),
          .title = asked["title"].asString(),
          .payload = common::RawJson(asked["payload"].dump()),
          .timeout = timeout.isNumber()
                         ? std::chrono::milliseconds(static_cast<std::int64_t>(timeout.asNumber()))
                         : limits::kInputTimeout};
}

Completion<common::RawJson> outcomeAsText(Completion<std::string> done) {
  return [done = std::move(done)](Result<common::RawJson> outcome) mutable {
    if (!outcome) {
      return done(std::move(outcome).error());
    }
    done(std::move(outcome).value().text());
  };
}

}  // namespace svc::agents
