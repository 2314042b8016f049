#include "tls.h"

#include <array>
#include <cctype>

#include <boost/asio/ssl/host_name_verification.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include "svc/common/json.h"

namespace svc::serverlink {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kDigestName = "sha256:";

std::string fingerprintOf(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) {
    return {};
  }
  std::string hex;
  for (unsigned at = 0; at < size; ++at) {
    hex += fmt::format("{:02x}", digest.at(at));
  }
  return hex;
}

/// Notes what is wrong; later certificates of the chain do not hide the first problem.
class Verifier {
 public:
  Verifier(const Endpoint& endpoint, std::shared_ptr<CertificateFinding> finding)
      : pinned_(endpoint.certificate),
        host_(endpoint.server.host),
        by_name_(endpoint.server.host),
        finding_(std::move(finding)) {}

  bool operator()(bool accepted, ssl::verify_context& context) const {
    auto* store = context.native_handle();
    finding_->fingerprint = fingerprintOf(X509_STORE_CTX_get0_cert(store));
    if (!pinned_.empty()) {
      if (finding_->fingerprint == pinned_) {
        return true;
      }
      finding_->problem = "it is another one than expected";
      return false;
    }
    const int code = X509_STORE_CTX_get_error(store);
    if (!accepted) {
      finding_->self_signed = code == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT;
      finding_->problem = X509_verify_cert_error_string(code);
      return false;
    }
    if (!by_name_(accepted, context)) {
      finding_->problem = fmt::format("it is not for {}", host_);
      return false;
    }
    return true;
  }

 private:
  std::string pinned_;
  std::string host_;
  ssl::host_name_verification by_name_;
  std::shared_ptr<CertificateFinding> finding_;
};

}  // namespace

Result<std::shared_ptr<ssl::context>> tlsContext(const Endpoint& endpoint,
                                                 std::shared_ptr<CertificateFinding> finding) {
  return guarded([&]() -> Result<std::shared_ptr<ssl::context>> {
    auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
    context->set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                         ssl::context::no_tlsv1_1);
    boost::system::error_code without_store;  // then nothing is trusted, and the finding says so
    context->set_default_verify_paths(without_store);
    context->set_verify_mode(ssl::verify_peer);
    context->set_verify_callback(Verifier(endpoint, std::move(finding)));
    return context;
  });
}

Error untrusted(const Endpoint& endpoint, const CertificateFinding& finding) {
  return Error{
      kUntrustedCertificate,
      fmt::format("the certificate of {} is not accepted: {} (fingerprint {})",
                  endpoint.server.text(), finding.problem, shownFingerprint(finding.fingerprint)),
      common::Json::object()
          .set("fingerprint", finding.fingerprint)
          .set("selfSigned", finding.self_signed)
          .dump()};
}

std::string shownFingerprint(const std::string& hex) {
  std::string text(kDigestName);
  for (std::size_t at = 0; at < hex.size(); ++at) {
    if (at > 0 && at % 2 == 0) {
      text += ':';
    }
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(hex[at])));
  }
  return text;
}

Result<std::string> parseFingerprint(const std::string& text) {
  std::string digits;
  bool valid = true;
  // openssl puts "sha256 Fingerprint=" in front.
  std::string_view rest = std::string_view(text).substr(text.find('=') + 1);
  if (rest.starts_with(kDigestName) || rest.starts_with("SHA256:")) {
    rest.remove_prefix(kDigestName.size());
  }
  std::size_t count = 0;
  for (const char each : rest) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == ':') {
      continue;
    }
    valid = valid && std::isxdigit(byte) != 0;
    digits += static_cast<char>(std::tolower(byte));
    ++count;
  }
  if (!valid || count != kDigestDigits) {
    return Error{
        errc::kInvalidArgument,
        fmt::format("\"{}\" is not the SHA-256 fingerprint of a certificate; \"openssl x509 "
                    "-noout -fingerprint -sha256 -in <certificate>\" on the server prints it",
                    text)};
  }
  return digits;
}

}  // namespace svc::serverlink
