#include <ostream>

#include "commands/commands.h"
#include "commands/request.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {

int openWindow(Context& context) {
  const auto& console = context.console;
  return request(context, {"POST", "/api/v1/access/links", "{}"},
                 [&](const common::Json& envelope) {
                   if (!console.json) {
                     console.out << oneLine(envelope["url"].asString()) << '\n';
                     console.err << "Open it in a browser: it is good once, for five minutes.\n";
                   }
                   return static_cast<int>(kExitOk);
                 });
}

}  // namespace svc::client
