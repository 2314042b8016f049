#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string clientTable(const Json& clients, const Console& console) {
  Table table;
  table.add({"CLIENT", "VERSION", "REVISION", "OVER", "TOKEN", "CALLS", "STREAMS", "LAST SEEN"});
  const auto text = [](const Json& value) { return value.isString() ? value.asString() : "-"; };
  for (const auto& client : clients.items()) {
    table.add({text(client["name"]), text(client["version"]), text(client["revision"]),
               text(client["transport"]), text(client["token"]), client["calls"].dump(),
               client["streams"].dump(), console.time(client["lastSeenAt"].asInteger())});
  }
  return table.render(layoutFor(console));
}

}  // namespace

int mcpStatus(Context& context) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto reply = api.value().get("/mcp/clients");
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& answer = reply.value().json;
  if (console.json) {
    console.out << reply.value().text << '\n';
    return kExitOk;
  }
  const bool enabled = answer["enabled"].asBool();
  console.out << fmt::format("{}/api/v1/mcp is {}.\n", api.value().address().url,
                             enabled ? "on" : "off (mcp.enabled)");
  if (answer["clients"].items().empty()) {
    console.out << "No client was heard of in the last minutes. `svc mcp setup` shows how to "
                   "connect one.\n";
  } else {
    console.out << clientTable(answer["clients"], console);
  }
  return kExitOk;
}

}  // namespace svc::client
