#include "agents_part.h"

#include <utility>

#include "agents_scripts.h"

namespace svc::agents {

plugins::ApiPart agentsPart(std::shared_ptr<const ProviderCheck> providers,
                            std::function<void(const std::string& plugin_id)> recheck) {
  return {.name = "agents",
          .script = scripts::kAgents,
          .functions = [providers = std::move(providers), recheck = std::move(recheck)](
                           const std::weak_ptr<plugins::IGeneration>& weak) {
            return script::hostFunctions({
                {.name = "providers.refusal",
                 .sync =
                     [providers, weak](const std::string& provider_id) {
                       const auto generation = weak.lock();
                       return Result<std::string>(generation
                                                      ? providers->refusal(*generation, provider_id)
                                                      : std::string());
                     }},
                {.name = "hooks.recheck",
                 .sync =
                     [recheck, weak](const std::string&) {
                       if (const auto generation = weak.lock()) {
                         recheck(generation->pluginId());
                       }
                       return Result<std::string>(std::string());
                     }},
            });
          }};
}

}  // namespace svc::agents
