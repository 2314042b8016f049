#pragma once

#include <memory>
#include <string>

#include <boost/asio/ssl/context.hpp>

#include "svc/kernel/result.h"

#include "transport.h"

namespace svc::serverlink {

/// What the check of a server's certificate has found; complete when the handshake has ended.
struct CertificateFinding {
  std::string fingerprint;  ///< SHA-256 of the server's certificate, lower-case hex
  std::string problem;      ///< empty = accepted
  bool self_signed = false;
};

/// Settings of one connection that accept exactly what the endpoint says, and tell `finding` what they saw.
[[nodiscard]] Result<std::shared_ptr<boost::asio::ssl::context>> tlsContext(
    const Endpoint& endpoint, std::shared_ptr<CertificateFinding> finding);

/// The kUntrustedCertificate of a finding with a problem.
[[nodiscard]] Error untrusted(const Endpoint& endpoint, const CertificateFinding& finding);

/// "sha256:AB:CD:…", in the way openssl prints it, of lower-case hex.
[[nodiscard]] std::string shownFingerprint(const std::string& hex);
/// Lower-case hex of what people copy: with or without "sha256:" and colons, in either case. `invalid_argument` otherwise.
[[nodiscard]] Result<std::string> parseFingerprint(const std::string& text);

}  // namespace svc::serverlink
