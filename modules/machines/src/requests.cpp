#include "requests.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "host_name.h"
#include "keys.h"

namespace svc::machines {
namespace {

bool isLoopbackAddress(std::string_view address) {
  return address == "::1" || address.starts_with("127.") || address.starts_with("::ffff:127.");
}

/// What a proxy adds, and what only browsers send: a page whose name leads to this machine (DNS rebinding) is no
/// process of this machine.
bool isIndirect(std::string_view header) {
  constexpr std::array<std::string_view, 4> kNames{"forwarded", "x-real-ip", "via", "origin"};
  constexpr std::array<std::string_view, 2> kPrefixes{"x-forwarded-", "sec-fetch-"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](auto name) { return http::equalsIgnoreCase(header, name); }) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](auto prefix) {
           return http::equalsIgnoreCase(header.substr(0, prefix.size()), prefix);
         });
}

}  // namespace

Result<common::BodyReader> readBody(const http::Request& request) {
  return common::BodyReader::parse(request.body.empty() ? std::string_view("{}")
                                                        : std::string_view(request.body));
}

std::optional<std::string> stringOrNull(common::BodyReader& body, std::string_view key) {
  return body.body()[key].isNull() ? std::nullopt : body.optionalString(key);
}

std::optional<std::string> hostIdMember(common::BodyReader& body) {
  auto id = stringOrNull(body, "hostId");
  if (id && !isHostId(*id)) {
    body.issue(R"(Expected the id of a host: 1 to 64 letters, digits, "-" and "_")",
               {common::Json("hostId")});
  }
  return id;
}

std::string hostNameMember(common::BodyReader& body, std::string_view key,
                           const std::optional<std::string>& text) {
  if (!text) {
    return {};
  }
  auto name = readHostName(*text);
  if (!name) {
    body.issue(name.error().message, {common::Json(key)});
    return {};
  }
  return std::move(name).value();
}

Status checkMediaType(const http::Request& request) {
  const auto* type = request.header("content-type");
  const auto media = type == nullptr ? std::string_view()
                                     : http::trimmed(std::string_view(*type).substr(
                                           0, std::min(type->find(';'), type->size())));
  if (!request.body.empty() && !http::equalsIgnoreCase(media, "application/json")) {
    return Error{errc::kUnsupportedMediaType,
                 fmt::format("a {} request with a body needs content-type application/json, got "
                             "\"{}\"",
                             request.method, type == nullptr ? "" : *type)};
  }
  return {};
}

Status checkDirectLoopback(const http::Request& request) {
  if (!isLoopbackAddress(request.peer_address)) {
    return Error{errc::kForbiddenOrigin,
                 "only processes of the server's own machine get enroll keys here; another machine "
                 "joins with a code of `svc machine enroll`"};
  }
  for (const auto& header : request.headers) {
    if (isIndirect(header.name)) {
      return Error{
          errc::kForbiddenOrigin,
          fmt::format("enroll keys are for direct callers, and this request has the header "
                      "\"{}\": ask the server without a proxy or a browser",
                      header.name)};
    }
  }
  return {};
}

void respond(http::IExchange& exchange, unsigned status, const common::Json& members) {
  exchange.respond({.status = status,
                    .headers = {{"cache-control", "no-store"}},
                    .body = common::okEnvelope(members)});
}

void onWorker(IWorkerPool& workers, const http::ExchangePtr& exchange,
              std::function<void(http::IExchange&)> job) {
  if (!workers.submit([exchange, job = std::move(job)] { job(*exchange); })) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

}  // namespace svc::machines
