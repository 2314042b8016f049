#pragma once

#include <string>

#include "svc/kernel/completion.h"

#include "credential.h"
#include "transport.h"

namespace svc::serverlink {

struct EnrollmentRequest {
  Endpoint endpoint;  ///< a certificate given here is the only one accepted
  std::string key;    ///< join code or enroll key
  std::string host_name;
  std::string host_type;
};

struct Enrollment {
  Credential credential;
  std::string host_name;  ///< as the server has it
  /// The server's certificate was accepted because this is the first contact: people should compare it.
  bool pinned_unseen = false;
};

/// Makes this machine a host of the server. A self-signed certificate is pinned when none is given. Main thread. Errors tell what
/// to do: `unauthorized` (the key), kUntrustedCertificate, `host_unavailable`, `timeout`, `invalid_argument` (what answers is no
/// such server).
void enroll(ITransport& transport, EnrollmentRequest request, Completion<Enrollment> done);

/// The machine's name as far as a server accepts it: trimmed, without control characters, 1 to L:host-name characters.
[[nodiscard]] std::string usualHostName();

}  // namespace svc::serverlink
