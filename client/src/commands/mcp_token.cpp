#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr const char* kPath = "/api/v1/mcp/tokens";

Json words(const std::vector<std::string>& all) {
  auto list = Json::array();
  for (const auto& word : all) {
    list.push(word);
  }
  return list;
}

std::string scopeOf(const Json& token) {
  if (!token["restricted"].asBool()) {
    return "everything";
  }
  std::string text;
  for (const auto& [member, what] :
       {std::pair{"plugins", "plugin "}, std::pair{"tools", "tool "}}) {
    for (const auto& name : token[member].items()) {
      text += (text.empty() ? "" : ", ") + std::string(what) + name.asString();
    }
  }
  return text.empty() ? "nothing" : text;
}

/// Names what is not there (yet): the token is made all the same, for a plugin may come later.
void warnUnknown(const Console& console, const char* what, const std::vector<std::string>& wanted,
                 const std::vector<std::string>& known) {
  for (const auto& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    const auto nearest = nearestName(name, known);
    console.complain(fmt::format("warning: there is no {} \"{}\" now{}", what, oneLine(name),
                                 nearest ? "; did you mean \"" + oneLine(*nearest) + "\"?" : ""));
  }
}

/// Tools as agents have them: those that plugins register, and `cli_<name>` for each command.
std::vector<std::string> toolNames(const Json& plugins) {
  std::vector<std::string> names;
  for (const auto& plugin : plugins.items()) {
    for (const auto& capability : plugin["capabilities"].items()) {
      if (capability["kind"].asString() == "agent-tool") {
        names.push_back(capability["id"].asString());
      }
    }
    if (const auto& command = plugin["cliCommand"]["name"].asString(); !command.empty()) {
      names.push_back("cli_" + command);
      names.push_back("cli_" + command + "_" + plugin["id"].asString());
    }
  }
  return names;
}

void warnOfNames(Context& context, const McpTokenOptions& options) {
  if (options.plugins.empty() && options.tools.empty()) {
    return;
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  const auto list = api ? api.value().get("/plugins") : Result<Reply>(api.error());
  if (!list || !list.value().ok()) {
    return;  // creating it tells what is wrong with the server
  }
  const auto& plugins = list.value().json["plugins"];
  std::vector<std::string> ids;
  for (const auto& plugin : plugins.items()) {
    ids.push_back(plugin["id"].asString());
  }
  warnUnknown(context.console, "plugin", options.plugins, ids);
  warnUnknown(context.console, "tool", options.tools, toolNames(plugins));
}

}  // namespace

int mcpTokenCreate(Context& context, const McpTokenOptions& options) {
  warnOfNames(context, options);
  const auto body = Json::object()
                        .set("name", options.name)
                        .set("plugins", words(options.plugins))
                        .set("tools", words(options.tools))
                        .dump();
  return request(context, {"POST", kPath, body}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (!console.json) {
      console.out << oneLine(envelope["secret"].asString()) << '\n';
      console.err
          << "This is shown once. The client sends it as `Authorization: Bearer …`, or has it "
             "in SVC_MCP_TOKEN for `svc mcp`.\n";
    }
    return static_cast<int>(kExitOk);
  });
}

int mcpTokenList(Context& context) {
  return request(context, {"GET", kPath, ""}, [&](const Json& envelope) {
    const auto& console = context.console;
    const auto& tokens = envelope["tokens"].items();
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    if (tokens.empty()) {
      console.err << "No tokens. Clients of this user need none; `svc mcp token create <name>` "
                     "makes one.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add({"NAME", "FOR", "CREATED", "LAST USED", "ID"});
    for (const auto& token : tokens) {
      const auto& used = token["lastUsedAt"];
      table.add(
          {token["name"].asString(), scopeOf(token), console.time(token["createdAt"].asInteger()),
           used.isNumber() ? console.time(used.asInteger()) : "never", token["id"].asString()});
    }
    console.out << table.render(layoutFor(console));
    return static_cast<int>(kExitOk);
  });
}

int mcpTokenRevoke(Context& context, const std::string& token) {
  return request(context, {"DELETE", std::string(kPath) + "/" + percentEncode(token), ""},
                 [&](const Json& envelope) {
                   if (!context.console.json) {
                     context.console.out << "Revoked "
                                         << oneLine(envelope["token"]["name"].asString()) << ".\n";
                   }
                   return static_cast<int>(kExitOk);
                 });
}

}  // namespace svc::client
