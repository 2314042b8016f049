#include "run_command.h"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::cli {

void runCommand(plugins::ILoadedPlugins& loaded, const std::string& plugin_id, std::string request,
                std::stop_token stop, Completion<std::string> done) {
  loaded.acquire(plugin_id, [plugin_id,
                             answer = std::make_shared<Completion<std::string>>(std::move(done)),
                             invocation = script::Invocation{.function = "cli",
                                                             .meta = {},
                                                             .body = std::move(request),
                                                             .stop = std::move(stop)}](
                                Result<plugins::GenerationPtr> generation) mutable {
    if (!generation) {
      (*answer)(std::move(generation).error());
      return;
    }
    if (invocation.stop.stop_requested()) {
      (*answer)(Error{errc::kAborted, "nobody waits for the command any more"});
      return;
    }
    if (generation.value()->registration("cli").isNull()) {
      (*answer)(
          Error{errc::kUnknownCommand, fmt::format("plugin \"{}\" has no command", plugin_id)});
      return;
    }
    generation.value()->invoke("cli", std::move(invocation), [answer](Result<std::string> result) {
      (*answer)(std::move(result));
    });
  });
}

}  // namespace svc::cli
