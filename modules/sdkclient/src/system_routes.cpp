#include "system_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/plugins/versions.h"

namespace svc::sdkclient {
namespace {

using common::Json;

constexpr const char* kThemes = "/api/v1/themes";
constexpr unsigned kOk = 200;
constexpr std::string_view kDevelopmentBuild = "0.0.0";

Json versionJson() {
  return Json::object()
      .set("version", plugins::kServiceVersion)
      .set("sdkVersion", plugins::kSdkVersion);
}

/// The service asks nobody for newer versions of itself, so it knows of none.
Json updateJson(const std::string& source) {
  return versionJson()
      .set("currentVersion", plugins::kServiceVersion)
      .set("latestVersion", Json())
      .set("updateAvailable", false)
      .set("isDevelopment", plugins::kServiceVersion == kDevelopmentBuild)
      .set("upgradeCommand", Json())
      .set("source", source);
}

Json windowsOwnTheme() {
  return Json::object()
      .set("themeId", "default")
      .set("faviconColor", Json())
      .set("name", "Default")
      .set("cssUrl", Json())
      .set("codeTheme", Json())
      .set("available", true)
      .set("problem", Json());
}

/// The collections of core records. The window asks only for those that a module of this server has.
constexpr std::array<std::string_view, 5> kRecords{"threads", "projects", "environments", "hosts",
                                                   "providers"};

Json recordsOf(const http::IHttpServer& server) {
  auto out = Json::array();
  for (const auto name : kRecords) {
    if (server.serves("GET", fmt::format("/api/v1/{}", name))) {
      out.push(name);
    }
  }
  return out;
}

void respondOk(http::IExchange& exchange, const Json& members) {
  http::Response response;
  response.body = common::okEnvelope(members);
  exchange.respond(std::move(response));
}

/// `catalog`: what the module of themes answers.
Json& addThemes(Json& members, const Json& catalog) {
  return members.set("appearance", catalog["active"])
      .set("customThemes", catalog["custom"])
      .set("pluginThemes", catalog["plugins"]);
}

Json ownThemes() {
  return Json::object()
      .set("active", windowsOwnTheme())
      .set("custom", Json::array())
      .set("plugins", Json::array());
}

/// What the module of themes answered, or why it is of no use.
Result<Json> readCatalog(const Result<http::Response>& answer) {
  if (!answer) {
    return answer.error();
  }
  auto catalog = Json::parse(answer.value().body);
  if (answer.value().status != kOk || !catalog) {
    return Error{errc::kInternal, fmt::format("it answered {}", answer.value().status)};
  }
  return catalog;
}

/// Answers with what the module of themes knows besides. Without it the window has its own palette: everything of it needs the
/// configuration.
void withThemes(http::IHttpServer& server, const http::ExchangePtr& exchange, Json members,
                std::shared_ptr<spdlog::logger> log) {
  if (!server.serves("GET", kThemes)) {
    respondOk(*exchange, addThemes(members, ownThemes()));
    return;
  }
  http::Request request;
  request.method = "GET";
  request.target = kThemes;
  server.dispatch(std::move(request), {},
                  [exchange, log = std::move(log),
                   members = std::move(members)](const Result<http::Response>& answer) mutable {
                    const auto catalog = readCatalog(answer);
                    if (!catalog) {
                      log->warn("the window gets its own theme: GET {} failed: {}", kThemes,
                                catalog.error().message);
                    }
                    respondOk(*exchange,
                              addThemes(members, catalog ? catalog.value() : ownThemes()));
                  });
}

}  // namespace

const char* platformName(std::string_view system, std::string_view release) {
  if (system == "Darwin") {
    return "darwin";
  }
  if (system != "Linux") {
    return "unknown";
  }
  // "…-microsoft-standard-WSL2", in older ones "…-Microsoft".
  return release.find("icrosoft") == std::string_view::npos ? "linux" : "wsl";
}

Status SystemRoutes::attach() {
  const auto version = [source = facts_.source](const http::ExchangePtr& exchange) {
    respondOk(*exchange, updateJson(source));
  };
  const auto attention = [has = facts_.has_attention](const http::ExchangePtr& exchange) {
    respondOk(*exchange, Json::object().set("hasAttention", has()));
  };
  for (auto status : {add("GET", "/api/v1/system/version", version),
                      add("GET", "/api/v1/system/attention", attention),
                      add("GET", "/api/v1/system/config",
                          [this](const http::ExchangePtr& exchange) { this->config(exchange); }),
                      add("POST", "/api/v1/system/config/reload",
                          [this](const http::ExchangePtr& exchange) { this->reload(exchange); })}) {
    if (!status) {
      return status;
    }
  }
  return {};
}

Status SystemRoutes::add(std::string_view method, std::string_view path, http::Handler handler) {
  auto route = server_.route({.method = std::string(method), .pattern = std::string(path)},
                             std::move(handler));
  if (!route) {
    return std::move(route).error();
  }
  routes_.push_back(std::move(route).value());
  return {};
}

void SystemRoutes::reload(const http::ExchangePtr& exchange) {
  if (changes_ == nullptr) {
    exchange->fail(Error{errc::kNotSupported, "this program cannot read its configuration again"});
    return;
  }
  changes_->reload([exchange](const Result<IConfigChanges::Outcome>& outcome) {
    if (!outcome) {
      exchange->fail(outcome.error());
      return;
    }
    const auto names = [](const std::vector<std::string>& keys) {
      auto out = Json::array();
      for (const auto& key : keys) {
        out.push(key);
      }
      return out;
    };
    respondOk(*exchange, Json::object()
                             .set("applied", names(outcome.value().applied))
                             .set("needRestart", names(outcome.value().need_restart)));
  });
}

void SystemRoutes::config(const http::ExchangePtr& exchange) {
  auto members = versionJson();
  const auto host_id = facts_.host_id();
  members.set("dataDir", facts_.data_dir)
      .set("serverUrl", server_.baseUrl())
      .set("primaryHostId", host_id.empty() ? Json() : Json(host_id))
      .set("primaryHostPlatform", host_id.empty() ? Json() : Json(facts_.platform))
      .set("records", recordsOf(server_))
      .set("cliPath", facts_.cli_path.empty() ? Json() : Json(facts_.cli_path))
      .set("voiceTranscriptionEnabled", false);
  manager_.safeMode([&server = server_, exchange, timezone = facts_.timezone, log = log_,
                     members = std::move(members)](Result<plugins::SafeModeState> state) mutable {
    if (!state) {
      exchange->fail(state.error());
      return;
    }
    members.set("timezone", timezone()).set("safeMode", state.value().enabled);
    withThemes(server, exchange, std::move(members), std::move(log));
  });
}

}  // namespace svc::sdkclient
