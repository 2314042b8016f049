#include "host_key.h"

#include <string_view>

#include "svc/common/codes.h"

namespace svc::hosts {

Result<std::string> hostOf(const http::Request& request, machines::IHostRegistry& registry) {
  constexpr std::string_view kScheme = "bearer ";
  const auto* header = request.header("authorization");
  if (header == nullptr || header->size() <= kScheme.size() ||
      !http::equalsIgnoreCase(std::string_view(*header).substr(0, kScheme.size()), kScheme)) {
    return Error{errc::kUnauthorized, "a host key is needed: Authorization: Bearer <host key>"};
  }
  return registry.authenticate(http::trimmed(std::string_view(*header).substr(kScheme.size())));
}

}  // namespace svc::hosts
