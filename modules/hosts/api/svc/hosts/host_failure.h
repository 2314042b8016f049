#pragma once

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/kernel/error.h"

namespace svc::hosts {

/// What a route says when a command of IHostCommands has failed: that it did not get there, or `host_error` with code and message of
/// the machine in its details. A daemon that does not know the command is to be updated.
[[nodiscard]] inline Error hostFailure(Error error) {
  if (error.code == errc::kUnknownHost || error.code == errc::kHostUnavailable ||
      error.code == errc::kTimeout || error.code == errc::kTooManyCalls) {
    return error;
  }
  auto message = error.code == errc::kInvalidCommand
                     ? fmt::format(
                           "the daemon of this machine is older than the server and cannot "
                           "do this; update svc-hostd there ({})",
                           error.message)
                     : error.message;
  return {
      errc::kHostError, std::move(message),
      common::Json::object().set("code", error.code.name()).set("message", error.message).dump()};
}

}  // namespace svc::hosts
