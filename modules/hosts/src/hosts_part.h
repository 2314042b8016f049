#pragma once

#include <memory>

#include "svc/http/http.h"
#include "svc/machines/host_registry.h"
#include "svc/plugins/plugins.h"

#include "plugin_calls.h"
#include "shared_ports.h"

namespace svc::hosts {

/// What scripts reach of this module. The references outlive every environment.
struct PartTargets {
  http::IReactor& reactor;
  const machines::IHostRegistry& registry;
  std::weak_ptr<PluginCalls> calls;
  std::weak_ptr<SharedPorts> ports;
};

/// `svc.hosts`: its script and the host functions `hosts.call` (host id, call number, milliseconds, method and input as five
/// lines of JSON), `hosts.cancel` (a call number) and `hosts.declarePorts`.
[[nodiscard]] plugins::ApiPart hostsPart(PartTargets targets);

}  // namespace svc::hosts
