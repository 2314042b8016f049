#include "enrollment.h"

#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

#include "server_messages.h"
#include "tls.h"

namespace svc::serverlink {
namespace {

using common::Json;

std::string bodyOf(const EnrollmentRequest& request) {
  // The key is bound to a host, whose id is in the answer.
  return Json::object()
      .set("hostId", Json())
      .set("hostName", request.host_name)
      .set("hostType", request.host_type)
      .dump();
}

Result<Enrollment> read(const EnrollmentRequest& request, const HttpAnswer& answer) {
  const auto server = request.endpoint.server.text();
  if (answer.status == status::kUnauthorized) {
    // The server says why, and what to do; what stands in front of it has not seen whether the code is good.
    const auto refusal = parseRefusal(answer);
    return Error{errc::kUnauthorized,
                 refusal.code.empty()
                     ? fmt::format("{} did not look at the code: {}", server, reasonOf(refusal))
                     : fmt::format("{} does not accept the code: {}", server, refusal.message)};
  }
  if (answer.status != status::kCreated) {
    return Error{errc::kHostUnavailable, fmt::format("{} did not enroll this machine: {}", server,
                                                     parseRefusal(answer).message)};
  }
  const auto parsed = Json::parse(answer.body);
  Enrollment enrollment;
  if (parsed) {
    const auto& json = parsed.value();
    enrollment.credential = {server, json["hostId"].asString(), json["hostKey"].asString(),
                             request.host_type, request.endpoint.certificate};
    if (request.endpoint.owner) {
      enrollment.credential.server_user = request.endpoint.owner->remembered();
    }
    enrollment.host_name =
        json["hostName"].isString() ? json["hostName"].asString() : request.host_name;
  }
  if (enrollment.credential.host_id.empty() ||
      !enrollment.credential.host_key.starts_with(hostprotocol::kHostKeyPrefix)) {
    return Error{errc::kInvalidArgument,
                 fmt::format("what answers at {} is not a server for hosts", server)};
  }
  return enrollment;
}

/// The details of a kUntrustedCertificate that may be pinned: that of a server which nobody else vouches for.
std::string pinnable(const Error& error) {
  const auto details = Json::parse(error.details);
  return details && details.value()["selfSigned"].asBool()
             ? details.value()["fingerprint"].asString()
             : std::string{};
}

Error withAdvice(Error error, const EnrollmentRequest& request) {
  if (request.endpoint.certificate.empty()) {
    error.message += "; if that is the right server, give its fingerprint with --fingerprint";
  } else {
    error.message += fmt::format("; expected {}", shownFingerprint(request.endpoint.certificate));
  }
  return error;
}

}  // namespace

void enroll(ITransport& transport, EnrollmentRequest request, Completion<Enrollment> done) {
  auto asked = std::make_shared<EnrollmentRequest>(std::move(request));
  const bool may_pin = asked->endpoint.certificate.empty();
  transport.post(
      {asked->endpoint, "/internal/hosts/enroll", asked->key}, bodyOf(*asked),
      [&transport, asked, may_pin, answer = std::move(done)](Result<HttpAnswer> response) mutable {
        if (response) {
          answer(read(*asked, response.value()));
          return;
        }
        if (!(response.error().code == kUntrustedCertificate)) {
          answer(std::move(response).error());
          return;
        }
        auto fingerprint = may_pin ? pinnable(response.error()) : std::string{};
        if (fingerprint.empty()) {
          answer(withAdvice(response.error(), *asked));
          return;
        }
        // The key goes out only now, to this very certificate.
        asked->endpoint.certificate = std::move(fingerprint);
        enroll(transport, *asked, [answer = std::move(answer)](Result<Enrollment> second) mutable {
          if (second) {
            second.value().pinned_unseen = true;
          }
          answer(std::move(second));
        });
      });
}

std::string usualHostName() {
  std::array<char, 256> name{};
  std::string out;
  if (::gethostname(name.data(), name.size() - 1) == 0) {
    for (const char each : std::string_view(name.data())) {
      const auto byte = static_cast<unsigned char>(each);
      if (byte > 0x20 && byte < 0x7f && out.size() < limits::kHostName) {
        out += each;
      }
    }
  }
  return out.empty() ? "host" : out;
}

}  // namespace svc::serverlink
