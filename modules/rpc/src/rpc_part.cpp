#include "rpc_part.h"

#include "rpc_scripts.h"

namespace svc::rpc {

plugins::ApiPart rpcPart() {
  return {.name = "rpc", .script = scripts::kRpc, .functions = nullptr};
}

}  // namespace svc::rpc
