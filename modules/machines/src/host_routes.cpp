#include "host_routes.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "requests.h"

namespace svc::machines {
namespace {

using common::Json;

/// The name a request gives a host.
Result<std::string> readName(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto text = body.optionalString("name");
  if (body.body().find("name") == nullptr) {
    body.issue("Required: the new name of the host", {Json("name")});
  }
  auto name = hostNameMember(body, "name", text);
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return name;
}

struct JoinRequest {
  std::optional<std::string> host_id;
  std::string name;
};

Result<JoinRequest> readJoinRequest(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  JoinRequest join{.host_id = hostIdMember(body),
                   .name = hostNameMember(body, "name", stringOrNull(body, "name"))};
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return join;
}

}  // namespace

Status HostRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    Member member;
  };
  for (const auto& entry :
       {Entry{"GET", "/api/v1/hosts", &HostRoutes::list},
        Entry{"POST", "/api/v1/hosts", &HostRoutes::create},
        Entry{"GET", "/api/v1/hosts/providers", &HostRoutes::providers},
        Entry{"POST", "/api/v1/hosts/join-codes", &HostRoutes::joinCode},
        Entry{"GET", "/api/v1/hosts/:hostId", &HostRoutes::show},
        Entry{"PATCH", "/api/v1/hosts/:hostId", &HostRoutes::rename},
        Entry{"DELETE", "/api/v1/hosts/:hostId", &HostRoutes::remove},
        Entry{"POST", "/api/v1/hosts/:hostId/retry-update", &HostRoutes::retryUpdate},
        Entry{"POST", "/api/v1/hosts/:hostId/suspend", &HostRoutes::unsupported},
        Entry{"POST", "/api/v1/hosts/:hostId/resume", &HostRoutes::unsupported},
        Entry{"POST", "/api/v1/hosts/:hostId/retry-cleanup", &HostRoutes::unsupported}}) {
    auto route = server.route({.method = entry.method, .pattern = entry.pattern},
                              [this, member = entry.member](const http::ExchangePtr& exchange) {
                                (this->*member)(exchange);
                              });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void HostRoutes::list(const http::ExchangePtr& exchange) {
  respond(*exchange, 200, Json::object().set("hosts", registry_.records()));
}

void HostRoutes::show(const http::ExchangePtr& exchange) {
  auto record = registry_.record(exchange->request().parameter("hostId"));
  if (!record) {
    return exchange->fail(record.error());
  }
  respond(*exchange, 200, Json::object().set("host", std::move(record).value()));
}

void HostRoutes::rename(const http::ExchangePtr& exchange) {
  auto name = readName(exchange->request());
  if (!name) {
    return exchange->fail(name.error());
  }
  onWorker(workers_, exchange,
           [this, id = std::string(exchange->request().parameter("hostId")),
            wanted = std::move(name).value()](http::IExchange& later) {
             auto renamed = registry_.rename(id, wanted);
             if (!renamed) {
               return later.fail(renamed.error());
             }
             respond(later, 200, Json::object().set("host", std::move(renamed).value()));
           });
}

void HostRoutes::remove(const http::ExchangePtr& exchange) {
  onWorker(
      workers_, exchange,
      [this, id = std::string(exchange->request().parameter("hostId"))](http::IExchange& later) {
        const auto record = registry_.record(id);
        if (const auto removed = registry_.remove(id); !removed) {
          return later.fail(removed.error());
        }
        if (record) {
          removed_(record.value());
        }
        respond(later, 200, Json::object());
      });
}

void HostRoutes::create(const http::ExchangePtr& exchange) {
  exchange->fail({errc::kNotSupported,
                  "machines are made by machine providers, which plugins may register and this "
                  "version does not run; `svc machine enroll` adds a machine that exists"});
}

void HostRoutes::unsupported(const http::ExchangePtr& exchange) {
  auto record = registry_.record(exchange->request().parameter("hostId"));
  if (!record) {
    return exchange->fail(record.error());
  }
  exchange->fail({errc::kNotSupported,
                  fmt::format("only a machine that a machine provider has made can be suspended, "
                              "resumed or cleaned up, and this version does not run them: \"{}\" "
                              "was enrolled; `svc machine remove` forgets it",
                              record.value()["name"].asString())});
}

/// None is there while nobody runs what plugins register.
void HostRoutes::providers(const http::ExchangePtr& exchange) {
  respond(*exchange, 200, Json::object().set("providers", Json::array()));
}

void HostRoutes::retryUpdate(const http::ExchangePtr& exchange) {
  auto record = registry_.retryUpdate(std::string(exchange->request().parameter("hostId")));
  if (!record) {
    return exchange->fail(record.error());
  }
  respond(*exchange, 200, Json::object().set("host", std::move(record).value()));
}

void HostRoutes::joinCode(const http::ExchangePtr& exchange) {
  auto join = readJoinRequest(exchange->request());
  if (!join) {
    return exchange->fail(join.error());
  }
  onWorker(workers_, exchange, [this, wanted = std::move(join).value()](http::IExchange& later) {
    const auto issued =
        registry_.issueKey(storage::HostKeyKind::kJoin, wanted.host_id, wanted.name);
    if (!issued) {
      return later.fail(issued.error());
    }
    const auto address = join_address_();
    respond(later, 201,
            Json::object()
                .set("joinCode", issued.value().key)
                .set("hostId", issued.value().host_id)
                .set("expiresAt", issued.value().expires_at)
                .set("serverUrl", address.empty() ? Json() : Json(address)));
  });
}

}  // namespace svc::machines
