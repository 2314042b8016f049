#pragma once

#include <string>
#include <string_view>

#include "svc/kernel/result.h"
#include "svc/machines/host_registry.h"

namespace svc::hosts {

/// What a daemon sends to open a session.
struct OpenRequest {
  std::string host_id;
  machines::SessionFacts facts;
};

/// What a daemon of any version says.
struct SpokenProtocol {
  int version = 0;
  std::string platform{};  ///< "linux-x64"; empty when it is no text
};

/// The version first, because a daemon of another one may send anything else: an integer in any JSON object. `invalid_json`,
/// `invalid_input`.
[[nodiscard]] Result<SpokenProtocol> spokenProtocolOf(std::string_view body);
/// Strict: every member and no other. `invalid_json`, `invalid_input` with one issue for each problem.
[[nodiscard]] Result<OpenRequest> parseOpenRequest(std::string_view body);

}  // namespace svc::hosts
