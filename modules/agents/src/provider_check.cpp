#include "provider_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::agents {
namespace {

using common::Json;

bool declares(const plugins::IGeneration& generation, const std::string& provider_id) {
  const auto registration = generation.registration("providers");
  const auto& providers = registration.items();
  return std::any_of(providers.begin(), providers.end(), [&provider_id](const Json& provider) {
    return provider["id"].asString() == provider_id;
  });
}

std::string taken(const std::string& provider_id, const std::string& plugin_id) {
  return fmt::format(R"(provider "{}" is declared by plugin "{}" already)", provider_id, plugin_id);
}

}  // namespace

std::string ProviderCheck::refusal(const plugins::IGeneration& generation,
                                   const std::string& provider_id) const {
  const auto manifest = generation.registration("manifest");
  if (manifest["host"].asString().empty()) {
    return fmt::format("provider \"{}\" needs a host entry (svc.host in package.json)",
                       provider_id);
  }
  if (configured_(provider_id)) {
    return fmt::format(
        "provider \"{}\" is the id of a configured agent (agents.{} in config.json); one of both "
        "needs another id",
        provider_id, provider_id);
  }
  for (const auto& other : loaded_.all()) {
    if (other->pluginId() != generation.pluginId() && declares(*other, provider_id)) {
      return taken(provider_id, other->pluginId());
    }
  }
  return {};
}

Status ProviderCheck::prepare(const plugins::GenerationPtr& generation) {
  const auto registration = generation->registration("providers");
  for (const auto& provider : registration.items()) {
    const auto& provider_id = provider["id"].asString();
    auto why = refusal(*generation, provider_id);
    const auto claim = claims_.find(provider_id);
    const auto holder = claim == claims_.end() ? nullptr : claim->second.lock();
    if (why.empty() && holder && holder->pluginId() != generation->pluginId()) {
      why = taken(provider_id, holder->pluginId());
    }
    if (!why.empty()) {
      return Error{errc::kConflict, "providers.register: " + why};
    }
  }
  for (const auto& provider : registration.items()) {
    claims_[provider["id"].asString()] = generation;
  }
  return {};
}

void ProviderCheck::release(const plugins::IGeneration& generation) {
  std::erase_if(claims_, [&generation](const auto& claim) {
    const auto holder = claim.second.lock();
    return !holder || holder.get() == &generation;
  });
}

}  // namespace svc::agents
