#include "commands/request.h"

#include "starting.h"

namespace svc::client {

int request(Context& context, const HttpRequest& request,
            const std::function<int(const common::Json& envelope)>& show) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(context.console, api.error());
  }
  const auto reply = callOnceStarted(context, api.value(), request);
  if (!reply) {
    return reportNoAnswer(context.console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(context.console, reply.value());
  }
  if (context.console.json) {
    context.console.showJson(reply.value().text);
  }
  return show(reply.value().json);
}

std::string pluginPath(const std::string& id, const std::string& rest) {
  return "/api/v1/plugins/" + percentEncode(id) + rest;
}

}  // namespace svc::client
