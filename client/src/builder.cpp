#include "builder.h"

namespace svc::client {

common::BundleBuilder::Options builderOptions(const Environment& environment) {
  common::BundleBuilder::Options options;
  options.toolchain = environment.program_dir.parent_path() / "share/svc/toolchain";
  options.installed_toolchains = dataDir({}, environment) / "plugins";
  if (const auto node = environment.variable("SVC_BUILD_NODE"); node && !node->empty()) {
    options.node = *node;
  }
  return options;
}

std::vector<common::BuildTarget> devTargets() {
  return {common::BuildTarget::kApp, common::BuildTarget::kHost};
}

std::vector<common::BuildTarget> releaseTargets() {
  return {common::BuildTarget::kServer, common::BuildTarget::kApp, common::BuildTarget::kHost};
}

}  // namespace svc::client
