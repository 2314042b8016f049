#include <algorithm>
#include <chrono>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "exit_code.h"
#include "plugin_block.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A server that is well answers at once: whoever asks this one wants to know it soon.
constexpr std::chrono::seconds kStatusWait{10};

/// `/readyz` answers 200 or 503 with the same body; only the body matters here.
Result<Json> readiness(Api& api) {
  const auto response = api.raw({"GET", "/readyz", "", kStatusWait});
  if (!response) {
    return response.error();
  }
  auto parsed = Json::parse(response.value().body);
  if (!parsed || !parsed.value()["modules"].isArray()) {
    return Error{errc::kInternal, "what answers at " + api.address().url + " (from " +
                                      api.address().origin + ") is not a svc server"};
  }
  return parsed;
}

bool runs(const Json& record) {
  return !record["enabled"].asBool(true) ||
         (record["status"].asString() == "running" && !hasFailedReload(record));
}

Json serverJson(const ServerAddress& address) {
  Json server = Json::object();
  server.set("url", address.url);
  if (address.record) {
    server.set("pid", address.record->pid).set("version", address.record->version);
  }
  return server;
}

void print(const Console& console, const ServerAddress& address, const Json& ready,
           const Json::Array& plugins) {
  Table table;
  table.add({"KIND", "NAME", "STATE", "DETAIL"});
  std::vector<std::string> row{"server", address.url};
  if (address.record) {
    row.push_back(address.record->version);
    row.push_back(fmt::format("pid {}", address.record->pid));
  }
  table.add(row);
  for (const auto& module : ready["modules"].items()) {
    table.add({"module", module["name"].asString(), module["state"].asString(),
               module["detail"].asString()});
  }
  for (const auto& plugin : plugins) {
    table.add({"plugin", plugin["id"].asString() + "@" + plugin["version"].asString(),
               plugin["status"].asString(), firstLine(plugin["statusDetail"].asString())});
  }
  console.out << table.render(layoutFor(console));
}

}  // namespace

int status(Context& context) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto ready = readiness(api.value());
  if (!ready && ready.error().code == errc::kTimeout) {
    console.fail(
        Error{codes::kUnreachable, ready.error().message},
        "it runs and does not answer: `svc server logs` shows what it did last, `svc server "
        "restart` asks it to end and says what to do when it does not");
    return kExitUnreachable;
  }
  if (!ready) {
    return reportNoAnswer(console, ready.error());
  }
  const auto reply = api.value().get("/plugins");
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& plugins = reply.value().json["plugins"].items();
  if (console.json) {
    Json envelope = Json::object();
    envelope.set("ok", true).set("server", serverJson(api.value().address()));
    envelope.set("modules", ready.value()["modules"]).set("plugins", reply.value().json["plugins"]);
    console.out << envelope.dump() << '\n';
  } else {
    print(console, api.value().address(), ready.value(), plugins);
  }
  return std::all_of(plugins.begin(), plugins.end(), runs) ? kExitOk : kExitFailure;
}

}  // namespace svc::client
