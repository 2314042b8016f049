#include "api.h"

#include <array>
#include <ostream>
#include <utility>

#include "exit_code.h"

namespace svc::client {
namespace {

std::string_view hintFor(const common::Json& error) {
  const std::string_view code = error["code"].asString();
  if (code == "plugin_not_running" && error["details"]["status"].asString() == "disabled") {
    return "`svc plugin enable <id>` turns it on";
  }
  if (code == "unknown_plugin") {
    return "`svc plugin list` shows what is installed";
  }
  if (code == "plugin_not_running") {
    return "`svc plugin list` shows its status, `svc plugin logs <id>` what it said";
  }
  if (code == "unknown_method") {
    return "`svc plugin rpc list <id>` shows the methods";
  }
  if (code == "too_large") {
    return "send less at a time, or put it into a file and name the file";
  }
  if (code == "safe_mode") {
    return "turn safe mode off first";
  }
  return {};
}

/// What the server says of its routes to who programs it, for who types commands.
struct RouteText {
  std::string_view route;
  std::string_view command;
};
constexpr std::array<RouteText, 4> kRouteTexts{
    {{"GET /providers", "`svc provider list` shows those there are"},
     {"GET /api/v1/system/provider-states", "`svc provider list` says what is missing"},
     {"GET …/interactions", "`svc thread interactions <thread>` shows those that wait"},
     {"GET /api/v1/thread-sections", "`svc thread list --json` has those in use (sectionId)"}}};

/// Takes what speaks of a route out of the message: "; GET … lists them" or " (`GET …` says it)". What is the command instead, if it did.
std::string_view takeRoute(std::string& message) {
  for (const auto& [route, command] : kRouteTexts) {
    const auto at = message.find(route);
    if (at == std::string::npos) {
      continue;
    }
    if (const auto aside = message.rfind(" (", at); aside != std::string::npos && at - aside <= 3) {
      const auto end = message.find(')', at);
      message.erase(aside, end == std::string::npos ? end : end + 1 - aside);
    } else if (const auto clause = message.rfind("; ", at); clause != std::string::npos) {
      message.erase(clause);
    }
    return command;
  }
  return {};
}

}  // namespace

Result<Api> Api::open(const ServerChoice& choice, const Environment& environment,
                      const Connector& connector) {
  auto address = locateServer(choice, environment);
  if (!address) {
    return std::move(address).error();
  }
  auto http = connector(address.value().url);
  if (!http) {
    return Error{codes::kUsage, address.value().origin + ": " + http.error().message};
  }
  if (!address.value().access_token.empty()) {
    http.value()->useAccessToken(address.value().access_token);
  }
  return Api(std::move(address).value(), std::move(http).value());
}

Result<Reply> Api::call(const HttpRequest& request) {
  auto response = http_->send(request);
  if (!response) {
    return std::move(response).error();
  }
  return envelopeOf(std::move(response).value());
}

Result<Reply> Api::envelopeOf(HttpResponse response) const {
  auto& text = response.body;
  auto parsed = common::Json::parse(text);
  if (!parsed || parsed.value().find("ok") == nullptr) {
    return Error{errc::kInternal, "what answers at " + address_.url + " (from " + address_.origin +
                                      ") is not a svc server: HTTP " +
                                      std::to_string(response.status) + " without an envelope"};
  }
  return Reply{std::move(text), std::move(parsed).value()};
}

int reportNoAnswer(const Console& console, const Error& error) {
  if (error.code == errc::kUnavailable || error.code == codes::kUnreachable) {
    // A message with backquotes says itself what to run.
    console.fail(Error{codes::kUnreachable, error.message},
                 error.message.find('`') == std::string::npos
                     ? "start a server with `svc server start`, or run `svcd` in a terminal"
                     : "");
    return kExitUnreachable;
  }
  if (error.code == errc::kTimeout || error.code == errc::kAborted) {
    console.fail(Error{codes::kUnreachable, error.message});
    return kExitUnreachable;
  }
  console.fail(error);
  return exitCodeFor(error.code.name());
}

int exitCodeOf(const common::Json& error) {
  const auto& code = error["code"].asString();
  const bool missing =
      code == "install_refused" && error["details"]["reason"].asString() == "not_found";
  return missing ? kExitNotFound : exitCodeFor(code);
}

int reportFailure(const Console& console, const Reply& reply, std::string_view hint) {
  if (console.json) {
    console.showJson(reply.text);
  }
  auto message = reply.message();
  const auto command = takeRoute(message);
  console.complain(message, !hint.empty()      ? hint
                            : !command.empty() ? command
                                               : hintFor(reply.json["error"]));
  return exitCodeOf(reply.json["error"]);
}

}  // namespace svc::client
