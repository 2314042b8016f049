#include "module_graph.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace svc::kernel {
namespace {

using Modules = std::vector<const ModuleDescriptor*>;

Status checkNames(const Modules& modules) {
  std::set<std::string_view> names;
  for (const auto* module : modules) {
    if (!names.insert(module->name).second) {
      return Error{kDuplicateModule, fmt::format("module \"{}\" is listed twice", module->name)};
    }
  }
  return {};
}

Result<ProviderChoice> chooseProviders(const Modules& modules, const ProviderChoice& choice) {
  ProviderChoice providers;
  for (const auto* module : modules) {
    for (const auto& service : module->provides) {
      const auto chosen = choice.find(service.name);
      if (chosen != choice.end() && chosen->second != module->name) {
        continue;
      }
      const auto [at, inserted] = providers.try_emplace(std::string(service.name), module->name);
      if (!inserted) {
        return Error{
            kDuplicateProvider,
            fmt::format("{} is provided by both {} and {}; leave one out or choose with the "
                        "configuration key providers, e.g. {{\"providers\": {{\"{}\": \"{}\"}}}}",
                        service.name, at->second, module->name, service.name, at->second)};
      }
    }
  }
  for (const auto& [service, module] : choice) {
    const auto found = providers.find(service);
    if (found == providers.end()) {
      return Error{
          kMissingDependency,
          fmt::format("providers names {} for {}, but that module is not in the set or does "
                      "not offer it",
                      module, service)};
    }
  }
  return providers;
}

/// Depth-first ordering; `path` is the chain of modules being visited.
class Sorter {
 public:
  Sorter(const Modules& modules, ModuleGraph& graph) : modules_(modules), graph_(graph) {}

  Status visit(const ModuleDescriptor& module) {
    if (std::find(graph_.order.begin(), graph_.order.end(), &module) != graph_.order.end()) {
      return {};
    }
    const auto again = std::find(path_.begin(), path_.end(), &module);
    if (again != path_.end()) {
      return cycleFrom(again);
    }
    path_.push_back(&module);
    for (const auto& requirement : module.required) {
      if (auto status = visitProvider(module, requirement); !status) {
        return status;
      }
    }
    path_.pop_back();
    graph_.order.push_back(&module);
    return {};
  }

 private:
  Status visitProvider(const ModuleDescriptor& module, const Requirement& requirement) {
    const auto provider = graph_.providers.find(requirement.service.name);
    if (provider == graph_.providers.end()) {
      if (requirement.optional) {
        graph_.absent.push_back(fmt::format("{}: {}", module.name, requirement.service.name));
        return {};
      }
      return Error{kMissingDependency,
                   fmt::format("{} requires {} (version {}), which no module of the set provides",
                               module.name, requirement.service.name, requirement.service.major)};
    }
    const auto& target =
        **std::find_if(modules_.begin(), modules_.end(),
                       [&](const auto* candidate) { return provider->second == candidate->name; });
    return &target == &module ? Status{} : visit(target);
  }

  [[nodiscard]] Error cycleFrom(Modules::const_iterator again) const {
    std::string chain;
    for (auto at = again; at != path_.end(); ++at) {
      chain += std::string((*at)->name) + " -> ";
    }
    return Error{kDependencyCycle,
                 fmt::format("modules require each other: {}{}", chain, (*again)->name)};
  }

  const Modules& modules_;
  ModuleGraph& graph_;
  Modules path_;
};

}  // namespace

Result<ModuleGraph> resolveModules(const Modules& modules, const ProviderChoice& choice) {
  if (auto status = checkNames(modules); !status) {
    return std::move(status).error();
  }
  auto providers = chooseProviders(modules, choice);
  if (!providers) {
    return std::move(providers).error();
  }
  ModuleGraph graph;
  graph.providers = std::move(providers).value();
  Sorter sorter(modules, graph);
  for (const auto* module : modules) {
    if (auto status = sorter.visit(*module); !status) {
      return std::move(status).error();
    }
  }
  return graph;
}

std::string requirementChain(const ModuleGraph& graph, const std::string& module) {
  std::string chain;
  std::string current = module;
  for (const auto* user : graph.order) {
    const bool requires_current = std::any_of(
        user->required.begin(), user->required.end(), [&](const Requirement& requirement) {
          const auto provider = graph.providers.find(requirement.service.name);
          return provider != graph.providers.end() && provider->second == current;
        });
    if (requires_current && current != user->name) {
      chain +=
          fmt::format("{}{} is required by {}", chain.empty() ? "" : ", ", current, user->name);
      current = user->name;
    }
  }
  return chain;
}

}  // namespace svc::kernel
