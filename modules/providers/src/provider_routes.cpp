#include "provider_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"

#include "provider_record.h"

namespace svc::providers {
namespace {

using common::Json;

constexpr unsigned kOk = 200;
/// Callers read these unasked.
constexpr std::array<const char*, 3> kUsageKeys{"claudeCode", "codex", "cursor"};

void respondWith(const http::ExchangePtr& exchange, const Json& members) {
  http::Response response;
  response.body = common::okEnvelope(members);
  exchange->respond(std::move(response));
}

}  // namespace

Status ProviderRoutes::attach() {
  using Member = void (ProviderRoutes::*)(const http::ExchangePtr&, const std::string&) const;
  struct Entry {
    const char* pattern;
    Member member;
  };
  for (const auto& entry : {Entry{"/api/v1/providers", &ProviderRoutes::list},
                            Entry{"/api/v1/providers/models", &ProviderRoutes::models},
                            Entry{"/api/v1/system/execution-options", &ProviderRoutes::models},
                            Entry{"/api/v1/system/provider-states", &ProviderRoutes::states},
                            Entry{"/api/v1/system/usage-limits", &ProviderRoutes::usage}}) {
    auto route =
        with_.server.route({.method = "GET", .pattern = entry.pattern},
                           [this, member = entry.member](const http::ExchangePtr& exchange) {
                             withHost(exchange, [this, member, exchange](const std::string& id) {
                               (this->*member)(exchange, id);
                             });
                           });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void ProviderRoutes::withHost(const http::ExchangePtr& exchange,
                              std::function<void(const std::string& host_id)> then) {
  const auto host_id = exchange->request().queryParameter("hostId").value_or("");
  const auto environment_id = exchange->request().queryParameter("environmentId").value_or("");
  if (!host_id.empty() && !with_.machines.find(host_id)) {
    return exchange->fail(
        Error{errc::kUnknownHost, fmt::format("there is no host \"{}\"", host_id)});
  }
  if (environment_id.empty()) {
    return then(host_id);
  }
  // Whoever keeps environments depends on this module's interface, not the other way round.
  http::Request request;
  request.method = "GET";
  request.target = "/api/v1/environments/" + environment_id;
  with_.server.dispatch(
      std::move(request), {},
      [exchange, then = std::move(then)](const Result<http::Response>& answer) {
        const auto body = answer ? Json::parse(answer.value().body) : Result<Json>(answer.error());
        if (!body) {
          return exchange->fail(body.error());
        }
        if (answer.value().status != kOk) {
          return exchange->fail(Error{common::wireCode(body.value()["error"]["code"].asString()),
                                      body.value()["error"]["message"].asString()});
        }
        then(body.value()["environment"]["hostId"].asString());
      });
}

void ProviderRoutes::list(const http::ExchangePtr& exchange, const std::string& host_id) const {
  auto records = Json::array();
  for (const auto& offer : with_.catalogue->list(host_id)) {
    records.push(toRecord(offer));
  }
  respondWith(exchange, Json::object().set("providers", std::move(records)));
}

void ProviderRoutes::models(const http::ExchangePtr& exchange, const std::string& host_id) const {
  const auto wanted = exchange->request().queryParameter("providerId").value_or("");
  const auto offers = with_.catalogue->list(host_id);
  auto records = Json::array();
  const Offer* chosen = nullptr;
  for (const auto& offer : offers) {
    records.push(toRecord(offer));
    if (chosen == nullptr && (wanted.empty() ? offer.available : offer.id == wanted)) {
      chosen = &offer;
    }
  }
  if (chosen == nullptr && !wanted.empty()) {
    for (const auto& [host, offer] : with_.catalogue->states(host_id)) {
      if (offer.id == wanted) {
        return exchange->fail(
            Error{errc::kNotFound,
                  fmt::format("the agent \"{}\" is not there: {}", wanted, offer.reason)});
      }
    }
    return exchange->fail(
        Error{errc::kNotFound,
              fmt::format("there is no agent \"{}\" here; GET /providers lists those there are",
                          wanted)});
  }
  const auto models =
      chosen == nullptr ? Json::array() : toModels(with_.catalogue->models(chosen->id, host_id));
  respondWith(exchange,
              Json::object()
                  .set("providers", std::move(records))
                  .set("models", models)
                  .set("selectedOnlyModels", Json::array())
                  .set("permissionCeiling", "full")
                  .set("modelLoadError", chosen == nullptr ? Json() : modelLoadError(*chosen)));
}

void ProviderRoutes::states(const http::ExchangePtr& exchange, const std::string& host_id) const {
  auto states = Json::array();
  for (const auto& [host, offer] : with_.catalogue->states(host_id)) {
    states.push(Json::object()
                    .set("providerId", offer.id)
                    .set("hostId", host)
                    .set("available", offer.available)
                    .set("unavailableReason", offer.available ? Json() : Json(offer.reason)));
  }
  respondWith(exchange, Json::object().set("states", std::move(states)));
}

void ProviderRoutes::usage(const http::ExchangePtr& exchange, const std::string& host_id) const {
  auto limits = Json::object();
  for (const auto* key : kUsageKeys) {
    limits.set(key, Json::object().set("status", "not_installed"));
  }
  for (const auto& offer : with_.catalogue->list(host_id)) {
    limits.set(usageKey(offer.id), usageOf(offer));
    if (offer.id == "claude") {
      limits.set("claudeCode", usageOf(offer));
    }
  }
  respondWith(exchange, Json::object().set("limits", std::move(limits)));
}

}  // namespace svc::providers
