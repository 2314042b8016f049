#pragma once

#include <string>
#include <string_view>

#include "svc/kernel/result.h"
#include "svc/machines/host_registry.h"

namespace svc::files {

/// The machine that is meant: the server's own when none is named. `unknown_host`, or `host_unavailable` when the server has none.
[[nodiscard]] Result<machines::Host> machineFor(const machines::IHostRegistry& registry,
                                                std::string_view host_id);

/// What a route says when a command about files has failed: what the caller asked for and got wrong keeps its code, the rest is
/// hosts::hostFailure.
[[nodiscard]] Error fileFailure(Error error);

}  // namespace svc::files
