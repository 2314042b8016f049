#include "schedule_route.h"

#include <string>
#include <utility>

#include "svc/common/body_reader.h"

#include "responses.h"

namespace svc::rpc {

Status ScheduleRoute::attach(http::IHttpServer& server) {
  auto route =
      server.route({.method = "POST", .pattern = "/api/v1/plugins/:id/schedules/:name/run"},
                   [this](const http::ExchangePtr& exchange) { run(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void ScheduleRoute::run(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  if (!request.body.empty()) {
    if (auto body = common::BodyReader::parse(request.body); !body) {
      exchange->fail(body.error());
      return;
    }
  }
  const std::string plugin_id(request.parameter("id"));
  schedules_.run(plugin_id, std::string(request.parameter("name")),
                 [exchange, plugin_id](Result<plugins::ScheduleInfo> schedule) {
                   if (!schedule) {
                     failFor(*exchange, plugin_id, std::move(schedule).error());
                     return;
                   }
                   respondOk(*exchange,
                             common::Json::object().set("schedule", toJson(schedule.value())));
                 });
}

}  // namespace svc::rpc
