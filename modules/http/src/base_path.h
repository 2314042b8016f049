#pragma once

#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// The path of `appUrl`: where the public address of the server puts it. Immutable; thread-safe.
class BasePath {
 public:
  BasePath() = default;
  /// Empty text is no base path. `invalid_argument` for an address with a query, or with a path that cannot be told from the
  /// server's own.
  [[nodiscard]] static Result<BasePath> of(std::string_view app_url);

  /// Takes the prefix off the path of a request that has it, and notes it in `base_path`. A request without it that was sent to
  /// the host of `appUrl` came through a proxy that has taken it off.
  void apply(Request& request) const;

 private:
  std::string prefix_;  ///< "/svc"; empty = none
  std::string origin_;  ///< normalised
};

}  // namespace svc::http
