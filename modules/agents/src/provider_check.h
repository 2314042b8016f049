#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "svc/plugins/plugins.h"

namespace svc::agents {

/// Keeps agent provider ids unique across plugins and the configuration. Main thread, except refusal().
class ProviderCheck {
 public:
  /// `configured`: whether an agent of the configuration has this id. Any thread.
  ProviderCheck(plugins::ILoadedPlugins& loaded,
                std::function<bool(const std::string& provider_id)> configured)
      : loaded_(loaded), configured_(std::move(configured)) {}

  /// Why a plugin cannot declare this id; empty when it can. Any thread.
  [[nodiscard]] std::string refusal(const plugins::IGeneration& generation,
                                    const std::string& provider_id) const;
  /// The check before activation: also against loads that are on their way. What passes is taken until the generation
  /// is released or gone.
  [[nodiscard]] Status prepare(const plugins::GenerationPtr& generation);
  void release(const plugins::IGeneration& generation);

 private:
  std::map<std::string, std::weak_ptr<plugins::IGeneration>> claims_;  // by provider id
  plugins::ILoadedPlugins& loaded_;
  const std::function<bool(const std::string& provider_id)> configured_;
};

}  // namespace svc::agents
