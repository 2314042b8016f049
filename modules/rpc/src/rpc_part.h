#pragma once

#include "svc/plugins/plugins.h"

namespace svc::rpc {

/// `svc.rpc`: its script and the host functions `rpc.registered` (the sorted method names, kept as registration
/// "rpc") and `rpc.problem`.
[[nodiscard]] plugins::ApiPart rpcPart();

}  // namespace svc::rpc
