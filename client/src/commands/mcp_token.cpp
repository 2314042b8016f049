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

}  // namespace

int mcpTokenCreate(Context& context, const McpTokenOptions& options) {
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
      console.out << "No tokens. Clients of this user need none; `svc mcp token create <name>` "
                     "makes one.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add({"NAME", "FOR", "CREATED", "LAST USED", "ID"});
    for (const auto& token : tokens) {
      const auto& used = token["lastUsedAt"];
      table.add({token["name"].asString(), scopeOf(token),
                 formatTime(token["createdAt"].asInteger()),
                 used.isNumber() ? formatTime(used.asInteger()) : "never", token["id"].asString()});
    }
    console.out << table.render(console.out_terminal ? Table::Layout::kAligned
                                                     : Table::Layout::kTabs);
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
