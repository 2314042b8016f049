#pragma once

#include <chrono>
#include <string_view>

#include "svc/base/fd.h"

#include "wire/http_address.h"

namespace svc::client {

/// A connection to the server: the addresses of its name are tried in order, each for as long as `patience`. The socket does not
/// block; what waits is waitFor(). Errors: `timeout`; `unavailable` with what the system says, or `forbidden` where the system lets this
/// program reach nothing; the server is not named.
[[nodiscard]] Result<base::Fd> connectSocket(const HttpAddress& address,
                                             std::chrono::milliseconds patience);

/// What is told of a connection that the system refuses with this number.
[[nodiscard]] Error connectFailure(int code);

/// Names the server for an error of connectSocket().
[[nodiscard]] Error unreachable(const HttpAddress& address, const Error& error);

/// Waits for `events` of poll(). Errors as above.
[[nodiscard]] Status waitFor(int descriptor, short events, std::chrono::milliseconds patience);

/// Everything; each wait for room is as long as `patience`. Errors as above.
[[nodiscard]] Status sendAll(int descriptor, std::string_view bytes,
                             std::chrono::milliseconds patience);

/// At least one byte, or 0 at the end. Errors as above.
[[nodiscard]] Result<std::size_t> receiveSome(int descriptor, char* into, std::size_t room,
                                              std::chrono::milliseconds patience);

}  // namespace svc::client
