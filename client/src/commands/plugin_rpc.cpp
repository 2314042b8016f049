#include <fstream>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string methodsPath(const std::string& id, const std::string& method) {
  std::string query;
  const auto add = [&query](const std::string& name, const std::string& value) {
    if (!value.empty()) {
      query += (query.empty() ? "?" : "&") + name + "=" + percentEncode(value);
    }
  };
  add("pluginId", id);
  add("method", method);
  return "/api/v1/plugins/rpc" + query;
}

}  // namespace

Result<std::string> readInput(const RpcInput& input) {
  std::string text = input.json;
  if (!input.file.empty()) {
    std::ifstream file(input.file == "-" ? "/dev/stdin" : input.file);
    auto content = file ? readWhole(file) : std::nullopt;
    if (!content) {
      return Error{codes::kUsage, "cannot read " + input.file};
    }
    text = std::move(*content);
  }
  if (!text.empty() && !common::isValidJson(text)) {
    return Error{codes::kUsage, "the input is not JSON"};
  }
  return text;
}

int pluginRpcList(Context& context, const std::string& id) {
  // Whoever names a plugin wants to know what it has; of all plugins only what they advertise is of interest.
  const auto path = methodsPath(id, "") + (id.empty() ? "" : "&all=true");
  return request(context, {"GET", path, ""}, [&](const Json& envelope) {
    if (context.console.json) {
      return static_cast<int>(kExitOk);
    }
    const auto& methods = envelope["methods"].items();
    if (methods.empty() && !id.empty()) {
      return request(context, {"GET", "/api/v1/plugins/" + percentEncode(id), ""},
                     [&](const Json&) {
                       context.console.err << "No methods.\n";
                       return static_cast<int>(kExitOk);
                     });
    }
    if (methods.empty()) {
      context.console.err << "No published methods.\n";
      return static_cast<int>(kExitOk);
    }
    Table table;
    table.add(id.empty() ? std::vector<std::string>{"PLUGIN", "METHOD"}
                         : std::vector<std::string>{"PLUGIN", "METHOD", "PUBLISHED"});
    for (const auto& method : methods) {
      std::vector<std::string> row{method["pluginId"].asString(), method["method"].asString()};
      if (!id.empty()) {
        row.emplace_back(method["published"].asBool() ? "yes" : "no");
      }
      table.add(std::move(row));
    }
    context.console.out << table.render(layoutFor(context.console));
    return static_cast<int>(kExitOk);
  });
}

int pluginRpcInspect(Context& context, const std::string& id, const std::string& method) {
  const auto path = methodsPath(id, method) + "&all=true";
  const auto wanted = [&](const Json& envelope) -> Result<Json> {
    if (!envelope["methods"].items().empty()) {
      return envelope;
    }
    return Error{errc::kNotFound,
                 fmt::format("plugin \"{}\" has no method{}", id,
                             method.empty() ? std::string() : fmt::format(" \"{}\"", method))};
  };
  return requestPart(context, {"GET", path, ""}, wanted,
                     fmt::format("`svc plugin rpc list {}` shows what it has while it runs", id),
                     [&](const Json& envelope) {
                       for (const auto& found : envelope["methods"].items()) {
                         if (!context.console.json) {
                           context.console.showJson(found.dump());
                         }
                       }
                       return static_cast<int>(kExitOk);
                     });
}

int pluginRpcCall(Context& context, const std::string& id, const std::string& method,
                  const RpcInput& input) {
  const auto body = readInput(input);
  if (!body) {
    context.console.fail(body.error(), R"(give it as one argument, such as '{"title":"tea"}')");
    return kExitUsage;
  }
  return request(context, {"POST", pluginPath(id, "/rpc/" + percentEncode(method)), body.value()},
                 [&](const Json& envelope) {
                   if (!context.console.json) {
                     context.console.showJson(envelope["result"].dump());
                   }
                   return static_cast<int>(kExitOk);
                 });
}

}  // namespace svc::client
