#include "token_route.h"

#include <string>
#include <utility>

#include "svc/common/body_reader.h"
#include "svc/common/envelope.h"
#include "svc/common/error_details.h"

namespace svc::routes {
namespace {

Result<Tokens::Rotate> wantsRotation(const std::string& body) {
  if (body.empty()) {
    return Tokens::Rotate::kNo;
  }
  auto reader = common::BodyReader::parse(body);
  if (!reader) {
    return std::move(reader).error();
  }
  const auto& object = reader.value().body();
  const auto* rotate = object.find("rotate");
  if (!object.isObject()) {
    return Error{errc::kInvalidInput,
                 "the request body must be an object such as {\"rotate\":true}"};
  }
  if (rotate != nullptr && !rotate->isBool()) {
    Error error{errc::kInvalidInput, "rotate must be true or false"};
    error.issues = R"([{"message":"Expected true or false","path":["rotate"]}])";
    return error;
  }
  return rotate != nullptr && rotate->asBool() ? Tokens::Rotate::kYes : Tokens::Rotate::kNo;
}

void answer(http::IExchange& exchange, const std::string& token) {
  http::Response response;
  response.headers.push_back({"cache-control", "no-store"});
  response.body = common::okEnvelope(common::Json::object().set("token", token));
  exchange.respond(std::move(response));
}

}  // namespace

Status TokenRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "POST", .pattern = "/api/v1/plugins/:id/token"},
                            [this](const http::ExchangePtr& exchange) { handle(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void TokenRoute::handle(const http::ExchangePtr& exchange) {
  const auto rotate = wantsRotation(exchange->request().body);
  if (!rotate) {
    exchange->fail(rotate.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  const auto fail = [exchange, plugin_id](Error error) {
    exchange->fail(common::withDetail(std::move(error), "pluginId", plugin_id));
  };
  // Whether it is installed; only then is the id the name of a folder.
  manager_.get(plugin_id, [tokens = tokens_, rotate = rotate.value(), exchange, plugin_id,
                           fail](const Result<plugins::PluginRecord>& record) {
    if (!record) {
      fail(record.error());
      return;
    }
    tokens->issue(plugin_id, rotate, [exchange, fail](Result<std::string> token) {
      if (token) {
        answer(*exchange, token.value());
      } else {
        fail(std::move(token).error());
      }
    });
  });
}

}  // namespace svc::routes
