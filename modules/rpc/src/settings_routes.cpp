#include "settings_routes.h"

#include <string>
#include <utility>
#include <vector>

#include "svc/common/body_reader.h"
#include "svc/common/json_slices.h"
#include "svc/common/surrogates.h"

#include "responses.h"

namespace svc::rpc {
namespace {

using common::Json;
using common::RawJson;

/// `{"ok":true,"schema":…,"values":…}`, or the failure of that plugin.
Completion<RawJson> answerView(http::ExchangePtr exchange, std::string plugin_id) {
  return [exchange = std::move(exchange), plugin_id = std::move(plugin_id)](Result<RawJson> view) {
    if (!view) {
      failFor(*exchange, plugin_id, std::move(view).error());
      return;
    }
    const auto parsed = Json::parse(view.value().text());
    if (!parsed) {
      exchange->fail({errc::kInternal, "the settings of the plugin are not JSON"});
      return;
    }
    http::Response response;
    response.headers.push_back({"cache-control", "no-store"});
    response.body = common::okEnvelope(Json::object()
                                           .set("schema", parsed.value()["schema"])
                                           .set("values", parsed.value()["values"]));
    exchange->respond(std::move(response));
  };
}

/// The settings whose values have half a surrogate pair, of which a parsed text knows nothing any more.
std::vector<std::string> illFormed(const std::string& text) {
  std::vector<std::string> keys;
  const auto body = common::JsonSlices::parse(text);
  const auto values = body ? common::JsonSlices::parse(body.value().raw("values"))
                           : Result<common::JsonSlices>(body.error());
  if (values) {
    for (const auto& [key, value] : values.value().members()) {
      if (common::replaceLoneSurrogates(value) != value) {
        keys.push_back(key);
      }
    }
  }
  return keys;
}

Result<Json> readValues(const std::string& text) {
  auto parsed = common::BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto& values = body.body()["values"];
  if (body.body().isObject() && !values.isObject()) {
    body.issue("Expected an object: setting to value, null resets it", {Json("values")});
  }
  for (const auto& key : illFormed(text)) {
    body.issue("Expected well-formed Unicode text", {Json("values"), Json(key)});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return values;
}

}  // namespace

Status SettingsRoutes::attach(http::IHttpServer& server) {
  constexpr const char* kPattern = "/api/v1/plugins/:id/settings";
  const auto add = [&](const char* method, http::Handler handler) -> Status {
    auto route = server.route({.method = method, .pattern = kPattern}, std::move(handler));
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
    return {};
  };
  if (auto status = add("GET", [this](const http::ExchangePtr& exchange) { get(exchange); });
      !status) {
    return status;
  }
  return add("PUT", [this](const http::ExchangePtr& exchange) { save(exchange); });
}

void SettingsRoutes::get(const http::ExchangePtr& exchange) {
  const std::string plugin_id(exchange->request().parameter("id"));
  settings_.get(plugin_id, answerView(exchange, plugin_id));
}

void SettingsRoutes::save(const http::ExchangePtr& exchange) {
  const auto values = readValues(exchange->request().body);
  if (!values) {
    exchange->fail(values.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  settings_.save(plugin_id, values.value(), answerView(exchange, plugin_id));
}

}  // namespace svc::rpc
