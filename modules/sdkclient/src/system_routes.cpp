#include "system_routes.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/plugins/versions.h"

namespace svc::sdkclient {
namespace {

using common::Json;

Json versionJson() {
  return Json::object()
      .set("version", plugins::kServiceVersion)
      .set("sdkVersion", plugins::kSdkVersion);
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

}  // namespace

Status SystemRoutes::attach() {
  const auto version = [](const http::ExchangePtr& exchange) {
    respondOk(*exchange, versionJson());
  };
  for (auto status : {add("GET", "/api/v1/system/version", version),
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
      .set("records", recordsOf(server_));
  manager_.safeMode([exchange, timezone = facts_.timezone,
                     members = std::move(members)](Result<plugins::SafeModeState> state) mutable {
    if (!state) {
      exchange->fail(state.error());
      return;
    }
    respondOk(*exchange,
              members.set("timezone", timezone()).set("safeMode", state.value().enabled));
  });
}

}  // namespace svc::sdkclient
