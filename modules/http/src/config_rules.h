#pragma once

#include <string_view>

#include "svc/kernel/config.h"

#include "guard.h"

namespace svc::http {

[[nodiscard]] GuardSettings guardSettings(const IConfig& config);

// The rules of this module's keys: what they accept, Server::listen() and GuardPolicy::create() take.

/// An address of this machine; one that others can reach needs listen.allowedHosts. Looks names up, which blocks.
[[nodiscard]] Status isListenHost(const IConfig& config, std::string_view key);
[[nodiscard]] Status areAllowedHosts(const IConfig& config, std::string_view key);
[[nodiscard]] Status areAllowedOrigins(const IConfig& config, std::string_view key);
[[nodiscard]] Status areTrustedProxies(const IConfig& config, std::string_view key);
/// Users that this machine has, or "any".
[[nodiscard]] Status areLocalUsers(const IConfig& config, std::string_view key);
[[nodiscard]] Status isAppUrl(const IConfig& config, std::string_view key);

}  // namespace svc::http
