#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/agents/dispatch_hooks.h"
#include "svc/plugins/plugins.h"

namespace svc::agents {

class DispatchHooks final : public IDispatchHooks {
 public:
  DispatchHooks(plugins::ILoadedPlugins& loaded, IMainExecutor& main)
      : loaded_(loaded), main_(main) {}

  void decide(common::RawJson context, Completion<DispatchDecision> done) override;
  [[nodiscard]] Handle onRecheck(
      std::function<void(const std::string& plugin_id)> listener) override;

  /// A plugin asks for its rows to be looked at again. Main thread.
  void recheck(const std::string& plugin_id);

 private:
  using Listener = std::function<void(const std::string& plugin_id)>;

  plugins::ILoadedPlugins& loaded_;
  IMainExecutor& main_;
  std::shared_ptr<std::vector<std::shared_ptr<const Listener>>> listeners_ =
      std::make_shared<std::vector<std::shared_ptr<const Listener>>>();
};

}  // namespace svc::agents
