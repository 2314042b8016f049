#include "safe_mode_route.h"

#include <utility>

#include "svc/common/body_reader.h"

#include "responses.h"

namespace svc::rpc {
namespace {

using common::Json;

Result<bool> readEnabled(const std::string& text) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto& enabled = body.body()["enabled"];
  if (body.body().isObject() && !enabled.isBool()) {
    body.issue("Expected true or false", {Json("enabled")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return enabled.asBool();
}

Json problemsJson(const std::vector<plugins::PluginRecord>& records) {
  auto out = Json::array();
  for (const auto& record : records) {
    out.push(Json::object()
                 .set("id", record.id)
                 .set("status", statusName(record.status))
                 .set("statusDetail",
                      record.status_detail.empty() ? Json() : Json(record.status_detail)));
  }
  return out;
}

}  // namespace

Status SafeModeRoute::attach(http::IHttpServer& server) {
  constexpr const char* kPattern = "/api/v1/plugins/safe-mode";
  auto get = server.route({.method = "GET", .pattern = kPattern},
                          [this](const http::ExchangePtr& exchange) { show(exchange); });
  if (!get) {
    return std::move(get).error();
  }
  auto put = server.route({.method = "PUT", .pattern = kPattern},
                          [this](const http::ExchangePtr& exchange) { change(exchange); });
  if (!put) {
    return std::move(put).error();
  }
  routes_.push_back(std::move(get).value());
  routes_.push_back(std::move(put).value());
  return {};
}

void SafeModeRoute::show(const http::ExchangePtr& exchange) {
  manager_.safeMode([exchange](Result<plugins::SafeModeState> state) {
    if (!state) {
      exchange->fail(state.error());
      return;
    }
    respondOk(*exchange, Json::object().set("enabled", state.value().enabled));
  });
}

void SafeModeRoute::change(const http::ExchangePtr& exchange) {
  const auto enabled = readEnabled(exchange->request().body);
  if (!enabled) {
    exchange->fail(enabled.error());
    return;
  }
  manager_.setSafeMode(enabled.value(), [exchange](Result<plugins::SafeModeState> state) {
    if (!state) {
      exchange->fail(state.error());
      return;
    }
    auto out = Json::object().set("enabled", state.value().enabled);
    if (!state.value().enabled) {
      out.set("problems", problemsJson(state.value().problems));
    }
    respondOk(*exchange, out);
  });
}

}  // namespace svc::rpc
