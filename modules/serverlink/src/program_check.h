#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::serverlink {

/// The module provides this in the major version of the protocol that it speaks, which `svc-hostd --check` shows.
inline constexpr std::string_view kProtocolService = "svc.serverlink.SpokenProtocol";

/// Whether the svc-hostd in `root`/bin runs on this machine, takes these arguments, speaks this protocol, and can load what its
/// workers need: it is asked with --check, which starts nothing. `incompatible` with what it said otherwise, `aborted`
/// when stopped, `unavailable` when the system has no room for another process. Blocks.
[[nodiscard]] Status checkProgram(const std::filesystem::path& root, std::int64_t protocol_version,
                                  const std::vector<std::string>& arguments,
                                  const std::stop_token& stop);

}  // namespace svc::serverlink
