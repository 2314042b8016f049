#include "commands/open_window.h"

#include <optional>
#include <ostream>

#include "browser.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A browser of this desktop reaches the server as its user, so that its command line needs no secret that others could read.
/// Nothing for a server of another machine, or behind the address of a proxy.
std::string addressForBrowser(const Context& context, const std::string& server,
                              const std::string& link, const std::string& path) {
  const auto record = readServerRecord(dataDir(context.choice, context.environment));
  return record && record->url == server && link.starts_with(server + "/api/") ? server + path
                                                                               : std::string();
}

}  // namespace

Result<Reply> showWindow(const Context& context, Api& api, const std::string& server, bool may_open,
                         ShownWindow& shown, const std::string& path) {
  auto reply = api.post("/access/links", Json::object());
  if (!reply || !reply.value().ok()) {
    return reply;
  }
  shown.link = oneLine(reply.value().json["url"].asString());
  const auto& console = context.console;
  const auto browser = browserProgram(context.environment);
  const auto address = addressForBrowser(context, server, shown.link, path);
  if (may_open && console.out_terminal && !console.json && browser && !address.empty() &&
      context.launch({*browser, address})) {
    shown.opened = address;
  }
  return reply;
}

void tellOfWindow(const Console& console, const ShownWindow& shown) {
  if (!shown.opened.empty()) {
    console.out << "The window opens in your browser: " << shown.opened << '\n';
    return;
  }
  console.out << shown.link << '\n';
  console.err << "Open it in a browser: it is good once, for five minutes.\n";
}

int openWindow(Context& context, bool may_open) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  ShownWindow shown;
  const auto reply = showWindow(context, api.value(), api.value().address().url, may_open, shown);
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  if (console.json) {
    console.out << reply.value().text << '\n';
  } else {
    tellOfWindow(console, shown);
  }
  return kExitOk;
}

}  // namespace svc::client
