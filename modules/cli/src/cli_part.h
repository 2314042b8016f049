#pragma once

#include <functional>

#include "svc/plugins/plugins.h"

namespace svc::cli {

/// `svc.cli`: its script and the host functions `cli.registered` (the metadata, kept as registration "cli") and
/// `cli.problem`. `on_registered` is called on the script thread after each registration.
[[nodiscard]] plugins::ApiPart cliPart(std::function<void()> on_registered);

}  // namespace svc::cli
