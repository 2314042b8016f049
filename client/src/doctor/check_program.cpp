#include <filesystem>

#include <fmt/format.h>

#include "commands/server_program.h"
#include "doctor/findings.h"
#include "processes.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

constexpr const char* kConfiguration = "configuration";

std::string valueOf(const Json& view, std::string_view key) {
  for (const auto& setting : view["settings"].items()) {
    if (setting["key"].asString() == key) {
      const auto& value = setting["value"];
      return value.isString() ? value.asString() : value.dump();
    }
  }
  return {};
}

/// What only shows once the server is started again: from here, or without what overrides the file now.
void checkNextStart(const Context& context, const Json& view, Findings& findings) {
  if (const auto owner = lockOwner(dataDir(context.choice, context.environment))) {
    if (const auto start = checkStart(context, argumentsOf(*owner)); !start) {
      findings.push_back(problem(
          kConfiguration,
          "the server runs, but would not start again from here: " + oneLine(start.error().message),
          "correct it, then run svc server restart"));
      return;
    }
  }
  for (const auto& each : view["masked"].items()) {
    findings.push_back(warning(kConfiguration,
                               "overridden now, but wrong: " + oneLine(each["message"].asString()),
                               "svc settings set " + oneLine(each["key"].asString()) + " <value>"));
  }
}

bool isLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host == "[::1]" || host.starts_with("127.");
}

/// The data directory of the svcd that answers; empty when it is another program.
std::string serverAt(IHttpClient& http) {
  constexpr auto kLook = std::chrono::seconds(2);
  const auto answer = http.send({"GET", "/api/v1/system/config", "", kLook});
  const auto config = answer ? Json::parse(answer.value().body) : Result<Json>(answer.error());
  return config ? oneLine(config.value()["dataDir"].asString()) : std::string();
}

void checkAddress(const Context& context, const Json& view, Findings& findings) {
  const auto host = valueOf(view, "listen.host");
  const auto port = valueOf(view, "listen.port");
  if (!isLoopback(host)) {
    findings.push_back(warning("address",
                               fmt::format("the server listens on {}, which other machines reach; "
                                           "it asks nobody for a password",
                                           host),
                               "svc settings set listen.host 127.0.0.1, or put a proxy with "
                               "authentication before it"));
    return;
  }
  if (port == "0" || lockOwner(dataDir(context.choice, context.environment))) {
    findings.push_back(fine("address", host + ":" + port));
    return;
  }
  // No server of this directory runs, so whoever answers there would be in its way.
  constexpr auto kLook = std::chrono::seconds(2);
  auto http = context.connector(fmt::format("http://{}:{}", host, port));
  const auto answer = http ? http.value()->send({"GET", "/healthz", "", kLook})
                           : Result<HttpResponse>(http.error());
  if (answer || answer.error().code != errc::kUnavailable) {
    const auto server = answer ? serverAt(*http.value()) : std::string();
    if (!server.empty()) {
      findings.push_back(
          problem("address", fmt::format("the svcd of {} is there, on {}:{}", server, host, port),
                  "svc --data-dir " + server +
                      " reaches it; for a second one: svc settings set listen.port "
                      "<another port>"));
      return;
    }
    findings.push_back(problem("address",
                               fmt::format("another program answers on {}:{}", host, port),
                               "svc settings set listen.port <another port>"));
    return;
  }
  findings.push_back(fine("address", fmt::format("{}:{} is free", host, port)));
}

}  // namespace

void checkProgram(const Context& context, Findings& findings) {
  const auto check = askServerProgram(context, {"--check"});
  if (!check) {
    findings.push_back(problem("program", check.error().message,
                               check.error().code == errc::kNotFound
                                   ? "install svc again: svc and svcd belong together"
                                   : "svcd --check"));
    return;
  }
  if (check.value().exit_code != 0) {
    findings.push_back(
        problem(kConfiguration, complaintOf(check.value()), "correct it, then run svcd --check"));
    return;
  }
  const auto& text = check.value().out;
  findings.push_back(fine("program", oneLine(text.substr(0, text.find('\n')))));
  const auto settings = askServerProgram(context, {"--print-config"});
  const auto view = settings ? Json::parse(settings.value().out) : Result<Json>(settings.error());
  if (!view) {
    findings.push_back(
        problem(kConfiguration, "svcd cannot print it: " + view.error().message, "svcd --check"));
    return;
  }
  std::error_code ignored;
  const auto& file = view.value()["configFile"].asString();
  findings.push_back(fine(kConfiguration, std::filesystem::exists(file, ignored)
                                              ? file
                                              : "defaults (there is no " + file + ")"));
  checkNextStart(context, view.value(), findings);
  checkAddress(context, view.value(), findings);
}

}  // namespace svc::client
