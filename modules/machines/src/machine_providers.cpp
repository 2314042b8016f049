#include "machine_providers.h"

#include <utility>

namespace svc::machines {

using common::Json;

Json machineProviders(const plugins::ILoadedPlugins& loaded) {
  auto providers = Json::array();
  for (const auto& generation : loaded.all()) {
    // The module agents checks and keeps them.
    const auto registered = generation->registration("machine-providers");
    for (const auto& provider : registered.items()) {
      providers.push(
          Json::object()
              .set("id", provider["id"])
              .set("pluginId", generation->pluginId())
              .set("displayName", provider["displayName"])
              .set("description", provider["description"])
              .set("icon", provider["icon"])
              .set("canSuspend", provider["canSuspend"])
              .set("availability",
                   Json::object()
                       .set("status", "unavailable")
                       .set("message",
                            "this version of the service does not run machine providers")));
    }
  }
  return providers;
}

}  // namespace svc::machines
