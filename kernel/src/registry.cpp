#include "svc/kernel/registry.h"

#include <fmt/format.h>

namespace svc {

Status ServiceRegistry::add(ServiceId service_id, void* service, std::string_view provider) {
  const auto selected = selected_.find(service_id.name);
  if (selected != selected_.end() && selected->second != provider) {
    return {};  // configuration chose another provider; this offer is not used
  }
  const auto [at, inserted] = entries_.try_emplace(
      std::string(service_id.name), Entry{service_id.major, service, std::string(provider)});
  if (!inserted) {
    return Error{errc::kConflict, fmt::format("{} offers {}, which {} already provides", provider,
                                              service_id.name, at->second.provider)};
  }
  return {};
}

Result<void*> ServiceRegistry::find(ServiceId service_id) const {
  const auto found = entries_.find(service_id.name);
  if (found == entries_.end()) {
    return Error{errc::kNotFound, fmt::format("no module provides {} (version {})", service_id.name,
                                              service_id.major)};
  }
  if (found->second.major != service_id.major) {
    return Error{errc::kNotFound, fmt::format("{} provides {} version {}, version {} is needed",
                                              found->second.provider, service_id.name,
                                              found->second.major, service_id.major)};
  }
  return found->second.service;
}

void ServiceRegistry::select(std::string service, std::string provider) {
  selected_[std::move(service)] = std::move(provider);
}

void ServiceRegistry::withdraw(std::string_view provider) {
  std::erase_if(entries_,
                [provider](const auto& entry) { return entry.second.provider == provider; });
}

}  // namespace svc
