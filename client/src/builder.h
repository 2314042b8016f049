#pragma once

#include "svc/common/bundle_builder.h"

#include "server_locator.h"

namespace svc::client {

/// Where the builder of this installation is: beside this program, run with SVC_BUILD_NODE or `node`.
[[nodiscard]] common::BundleBuilder::Options builderOptions(const Environment& environment);

/// The targets of `svc plugin dev` and `svc plugin build`, in their order.
[[nodiscard]] std::vector<common::BuildTarget> devTargets();
[[nodiscard]] std::vector<common::BuildTarget> releaseTargets();

}  // namespace svc::client
