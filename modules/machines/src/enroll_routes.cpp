#include "enroll_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "keys.h"
#include "requests.h"

namespace svc::machines {
namespace {

using common::Json;

/// Anyone who reaches the server may send one.
constexpr std::size_t kLargestBody = 16UL * 1024;

Result<EnrollRequest> readEnrollRequest(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown({"hostId", "hostName", "hostType"});
  EnrollRequest enroll{.host_id = hostIdMember(body),
                       .host_name = body.requiredString("hostName"),
                       .host_type = body.requiredString("hostType")};
  if (body.body()["hostName"].isString()) {
    enroll.host_name = hostNameMember(body, "hostName", enroll.host_name);
  }
  if (body.body()["hostType"].isString() && enroll.host_type != "persistent" &&
      enroll.host_type != "ephemeral") {
    body.issue("Expected \"persistent\" or \"ephemeral\"", {Json("hostType")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return enroll;
}

Result<std::optional<std::string>> readKeyRequest(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  body.rejectUnknown({"hostId"});
  auto host_id = hostIdMember(body);
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return host_id;
}

}  // namespace

Status EnrollRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* pattern;
    http::Guard guard;
    void (EnrollRoutes::*member)(const http::ExchangePtr& exchange);
  };
  for (const auto& entry :
       {Entry{"/internal/hosts/enroll-key", http::Guard::kUpload, &EnrollRoutes::enrollKey},
        Entry{"/internal/hosts/enroll", http::Guard::kNone, &EnrollRoutes::enroll}}) {
    auto route =
        server.route({.method = "POST",
                      .pattern = entry.pattern,
                      .guard = entry.guard,
                      .body_limit = kLargestBody},
                     [this, member = entry.member](const http::ExchangePtr& exchange) {
                       if (const auto checked = checkMediaType(exchange->request()); !checked) {
                         return exchange->fail(checked.error());
                       }
                       (this->*member)(exchange);
                     });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void EnrollRoutes::enrollKey(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  if (const auto direct = checkDirectLoopback(request); !direct) {
    return exchange->fail(direct.error());
  }
  const auto bearer = bearerOf(request.header("authorization"));
  if (registry_.isHostKey(bearer)) {
    return exchange->fail(
        {errc::kForbidden, "a host daemon cannot enroll hosts: send no host key here"});
  }
  auto host_id = readKeyRequest(request);
  if (!host_id) {
    return exchange->fail(host_id.error());
  }
  onWorker(workers_, exchange, [this, wanted = std::move(host_id).value()](http::IExchange& later) {
    const auto issued = registry_.issueKey(storage::HostKeyKind::kLocal, wanted, {});
    if (!issued) {
      return later.fail(issued.error());
    }
    respond(later, 201,
            Json::object()
                .set("enrollKey", issued.value().key)
                .set("hostId", issued.value().host_id)
                .set("expiresAt", issued.value().expires_at));
  });
}

void EnrollRoutes::enroll(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const std::string key(bearerOf(request.header("authorization")));
  if (key.empty()) {
    return refuse(
        *exchange, request.peer_address, "",
        {errc::kUnauthorized,
         "an enrollment needs the header Authorization: Bearer <join code or enroll key>; "
         "get a code with `svc machine enroll`"});
  }
  // Whoever has no key costs neither a worker nor the parser anything.
  if (const auto usable = registry_.checkEnrollKey(key); !usable) {
    return refuse(*exchange, request.peer_address, hashOf(key), usable.error());
  }
  auto wanted = readEnrollRequest(request);
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  onWorker(workers_, exchange,
           [this, key, wanted = std::move(wanted).value()](http::IExchange& later) {
             const auto enrolled = registry_.enroll(key, wanted);
             if (!enrolled && enrolled.error().code == errc::kUnauthorized) {
               return refuse(later, later.request().peer_address, hashOf(key), enrolled.error());
             }
             if (!enrolled) {
               return later.fail(enrolled.error());
             }
             respond(later, 201,
                     Json::object()
                         .set("hostId", enrolled.value().host_id)
                         .set("hostKey", enrolled.value().host_key)
                         .set("hostName", enrolled.value().host_name));
           });
}

void EnrollRoutes::refuse(http::IExchange& exchange, const std::string& peer,
                          const std::string& key_hash, const Error& error) {
  const auto verdict = refusals_.note(peer, key_hash);
  if (verdict.too_many) {
    if (verdict.log) {
      log_->warn("{} keeps trying to enroll with keys that are not valid", peer);
    }
    const Error busy{errc::kOverloaded,
                     fmt::format("{} enrollments from this address were refused within a minute; "
                                 "try again in a minute",
                                 Refusals::kPerMinute)};
    exchange.respond({.status = common::httpStatus(busy.code),
                      .headers = {{"retry-after", "60"}},
                      .body = common::errorEnvelope(busy)});
    return;
  }
  if (verdict.log) {
    log_->warn("an enrollment from {} was refused: {}", peer, error.message);
  }
  exchange.fail(error);
}

}  // namespace svc::machines
