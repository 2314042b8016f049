#include <ostream>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr const char* kPath = "/api/v1/plugins/safe-mode";

void printState(const Console& console, const Json& envelope) {
  if (!console.json) {
    console.out << "Safe mode is " << (envelope["enabled"].asBool() ? "on" : "off") << ".\n";
  }
}

}  // namespace

int pluginSafeMode(Context& context, const std::string& change) {
  if (change.empty()) {
    return request(context, {"GET", kPath, ""}, [&](const Json& envelope) {
      printState(context.console, envelope);
      return static_cast<int>(kExitOk);
    });
  }
  const auto body = Json::object().set("enabled", change == "on").dump();
  return request(context, {"PUT", kPath, body}, [&](const Json& envelope) {
    const auto& console = context.console;
    printState(console, envelope);
    const auto& problems = envelope["problems"].items();
    for (const auto& problem : problems) {
      if (!console.json) {
        const auto detail = oneLine(problem["statusDetail"].asString());
        console.out << "Not running: " << oneLine(problem["id"].asString()) << "  "
                    << oneLine(problem["status"].asString())
                    << (detail.empty() ? "" : "  (" + detail + ")") << "\n";
      }
    }
    return static_cast<int>(problems.empty() ? kExitOk : kExitFailure);
  });
}

}  // namespace svc::client
