#pragma once

#include <map>
#include <string>
#include <vector>

#include "svc/kernel/module.h"

namespace svc::kernel {

inline constexpr Errc kMissingDependency{"missing_dependency"};
inline constexpr Errc kDuplicateProvider{"duplicate_provider"};
inline constexpr Errc kDependencyCycle{"dependency_cycle"};
inline constexpr Errc kDuplicateModule{"duplicate_module"};

/// Which module was chosen to provide an interface, where configuration says so: service id → module name.
using ProviderChoice = std::map<std::string, std::string, std::less<>>;

/// The start order of a set of modules and who provides what.
struct ModuleGraph {
  std::vector<const ModuleDescriptor*> order;
  ProviderChoice providers;
  /// Optional requirements nobody provides: "rpc: svc.x.Y".
  std::vector<std::string> absent;
};

/// Orders modules so that providers come before their users; the given order decides ties.
[[nodiscard]] Result<ModuleGraph> resolveModules(
    const std::vector<const ModuleDescriptor*>& modules, const ProviderChoice& choice);

/// "cli requires svc.a.B from plugins, which requires … from storage": why `module` is started at all is told
/// by the chain of users above it.
[[nodiscard]] std::string requirementChain(const ModuleGraph& graph, const std::string& module);

}  // namespace svc::kernel
