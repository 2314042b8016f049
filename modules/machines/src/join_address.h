#pragma once

#include <string>
#include <vector>

namespace svc::machines {

/// How the server can be reached, as configured.
struct ListenFacts {
  std::string app_url{};
  std::string listen_host{};
  std::vector<std::string> allowed_hosts{};
  std::string base_url{};  ///< "http://127.0.0.1:4700"
};

/// The address other machines join at, without a slash at its end; empty when the server is reachable from its own
/// machine only.
[[nodiscard]] std::string joinAddress(const ListenFacts& facts);

}  // namespace svc::machines
