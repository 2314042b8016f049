#include "machine.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hosts/host_failure.h"

namespace svc::files {

Result<machines::Host> machineFor(const machines::IHostRegistry& registry,
                                  std::string_view host_id) {
  if (!host_id.empty()) {
    auto host = registry.find(host_id);
    return host ? Result<machines::Host>(*std::move(host))
                : Error{errc::kUnknownHost,
                        fmt::format("there is no host \"{}\"; `svc machine list` shows those there "
                                    "are",
                                    host_id)};
  }
  for (auto& host : registry.list()) {
    if (host.is_server) {
      return std::move(host);
    }
  }
  return Error{errc::kHostUnavailable,
               "this server has no machine of its own (hosts.local is off); name one with hostId"};
}

Error fileFailure(Error error) {
  const bool of_the_caller = error.code == errc::kInvalidInput || error.code == errc::kNotFound ||
                             error.code == errc::kConflict || error.code == errc::kTooLarge ||
                             error.code == errc::kForbidden || error.code == errc::kOverloaded;
  return of_the_caller ? error : hosts::hostFailure(std::move(error));
}

}  // namespace svc::files
