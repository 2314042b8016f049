#pragma once

#include <optional>
#include <string>

#include "dispatch.h"

namespace svc::client {

/// A token for a client that is set up.
struct ClientToken {
  std::string name{};
  /// One of that name is revoked and made anew, for what it was for.
  bool replace = false;
};

/// Makes the token and puts its secret into `secret`; an exit code when there is none, which is then reported.
[[nodiscard]] std::optional<int> makeClientToken(Context& context, const ClientToken& token,
                                                 std::string& secret);

/// False when the server says that there is no token of that name: revoked, or never made.
[[nodiscard]] bool mayHaveToken(Context& context, const std::string& name);

}  // namespace svc::client
