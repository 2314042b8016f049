#include "update_routes.h"

#include <array>
#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/error_details.h"

#include "responses.h"

namespace svc::updates {
namespace {

using common::Json;

constexpr std::array<std::string_view, 3> kOutcomes{"current", "updated", "rolled-back"};

Json resultJson(const UpdateResult& result) {
  const bool applied = result.outcome == UpdateResult::Outcome::kUpdated;
  auto out = Json::object().set("applied", applied).set("from", result.from);
  if (!result.to.empty()) {
    out.set("to", result.to);
  }
  out.set("outcome", kOutcomes.at(static_cast<std::size_t>(result.outcome)));
  if (!result.detail.empty()) {
    out.set("detail", result.detail);
  }
  return out;
}

Json targetJson(const RollbackTarget& target) {
  return Json::object()
      .set("version", target.version)
      .set("resolved", target.resolved)
      .set("takenAt", target.taken_at)
      .set("keptUntil", target.kept_until);
}

}  // namespace

Status UpdateRoutes::attach(http::IHttpServer& server) {
  return addRoutes(server, routes_,
                   {{"POST", "/api/v1/plugins/updates/check",
                     [this](const http::ExchangePtr& exchange) { check(exchange); }},
                    {"GET", "/api/v1/plugins/updates",
                     [this](const http::ExchangePtr& exchange) { list(exchange); }},
                    {"POST", "/api/v1/plugins/:id/update",
                     [this](const http::ExchangePtr& exchange) { apply(exchange); }},
                    {"GET", "/api/v1/plugins/:id/rollback",
                     [this](const http::ExchangePtr& exchange) { rollbackTarget(exchange); }},
                    {"POST", "/api/v1/plugins/:id/rollback",
                     [this](const http::ExchangePtr& exchange) { rollBack(exchange); }}});
}

void UpdateRoutes::check(const http::ExchangePtr& exchange) {
  auto body = readBody(exchange->request());
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  auto id = body.value().optionalString("id");
  if (auto status = body.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  main_.post([exchange, checks = checks_, id = id.value_or("")] {
    checks->check(id, [exchange](const Result<Json>& results) {
      if (results) {
        respondOk(*exchange, results.value());
      } else {
        exchange->fail(results.error());
      }
    });
  });
}

void UpdateRoutes::list(const http::ExchangePtr& exchange) {
  main_.post([exchange, checks = checks_] { respondOk(*exchange, checks->results()); });
}

void UpdateRoutes::apply(const http::ExchangePtr& exchange) {
  auto body = readBody(exchange->request());
  // With another source it is an install request, which belongs to who knows sources.
  const bool redirects = body && body.value().body()["source"].isString();
  bool confirms = false;
  if (body && !redirects) {
    confirms = !body.value().optionalString("confirmedSource").value_or("").empty();
  }
  const auto valid = redirects ? Status() : body ? body.value().finish() : Status(body.error());
  if (!valid) {
    exchange->fail(valid.error());
    return;
  }
  const std::string id(exchange->request().parameter("id"));
  const auto request =
      redirects || confirms ? std::string(exchange->request().body) : std::string();
  main_.post([exchange, checks = checks_, updater = updater_, id, request] {
    updater->apply(id, request, [exchange, checks, id](Result<UpdateResult> result) {
      if (!result) {
        exchange->fail(common::withDetail(std::move(result).error(), "pluginId", id));
        return;
      }
      checks->refresh(id);
      respondOk(*exchange, resultJson(result.value()));
    });
  });
}

void UpdateRoutes::rollbackTarget(const http::ExchangePtr& exchange) {
  const std::string id(exchange->request().parameter("id"));
  main_.post([exchange, updater = updater_, id] {
    updater->rollbackTarget(id, [exchange, id](Result<RollbackTarget> target) {
      if (target) {
        respondOk(*exchange, Json::object().set("rollback", targetJson(target.value())));
      } else if (target.error().code == errc::kNotFound) {
        respondOk(*exchange,
                  Json::object().set("rollback", Json()).set("reason", target.error().message));
      } else {
        exchange->fail(common::withDetail(std::move(target).error(), "pluginId", id));
      }
    });
  });
}

void UpdateRoutes::rollBack(const http::ExchangePtr& exchange) {
  auto body = readBody(exchange->request());
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  auto version = body.value().optionalString("version");
  if (auto status = body.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  const std::string id(exchange->request().parameter("id"));
  main_.post([exchange, checks = checks_, updater = updater_, id, version = version.value_or("")] {
    updater->rollBack(id, version, [exchange, checks, id](Result<RollbackResult> result) {
      if (!result) {
        exchange->fail(common::withDetail(std::move(result).error(), "pluginId", id));
        return;
      }
      checks->refresh(id);
      respondOk(*exchange, Json::object()
                               .set("from", result.value().from)
                               .set("to", result.value().to)
                               .set("plugin", plugins::toJson(result.value().plugin)));
    });
  });
}

}  // namespace svc::updates
