#include "commands/request.h"

#include <utility>
#include <variant>

#include "starting.h"

namespace svc::client {

namespace {

/// A good answer; otherwise the exit code of what is reported.
std::variant<Reply, int> answerTo(Context& context, const HttpRequest& request) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(context.console, api.error());
  }
  auto reply = callOnceStarted(context, api.value(), request);
  if (!reply) {
    return reportNoAnswer(context.console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(context.console, reply.value());
  }
  return std::move(reply).value();
}

}  // namespace

int request(Context& context, const HttpRequest& request,
            const std::function<int(const common::Json& envelope)>& show) {
  const auto answer = answerTo(context, request);
  if (const auto* const code = std::get_if<int>(&answer)) {
    return *code;
  }
  const auto& reply = std::get<Reply>(answer);
  if (context.console.json) {
    context.console.showJson(reply.text);
  }
  return show(reply.json);
}

int requestPart(Context& context, const HttpRequest& request,
                const std::function<Result<common::Json>(const common::Json& envelope)>& part,
                std::string_view hint,
                const std::function<int(const common::Json& envelope)>& show) {
  const auto answer = answerTo(context, request);
  if (const auto* const code = std::get_if<int>(&answer)) {
    return *code;
  }
  const auto asked = part(std::get<Reply>(answer).json);
  if (!asked) {
    context.console.fail(asked.error(), hint);
    return exitCodeFor(asked.error().code.name());
  }
  if (context.console.json) {
    context.console.showJson(asked.value().dump());
  }
  return show(asked.value());
}

std::string pluginPath(const std::string& id, const std::string& rest) {
  return "/api/v1/plugins/" + percentEncode(id) + rest;
}

}  // namespace svc::client
