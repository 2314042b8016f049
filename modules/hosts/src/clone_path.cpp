#include "clone_path.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"
#include "svc/hosts/host_answer.h"
#include "svc/hosts/host_failure.h"

namespace svc::hosts {
namespace {

using common::Json;

constexpr std::string_view kProjects = "/api/v1/projects/";
/// Names that are tried: the project's, and with 2, 3, … behind it.
constexpr int kTries = 50;

bool isPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_';
}

bool isPathSegment(std::string_view id) {
  return !id.empty() && id.find_first_of("/?#%") == std::string_view::npos && id != "." &&
         id != "..";
}

std::string candidate(const std::string& home, const std::string& name, int number) {
  const auto directory = home == "/" ? "/" + name : fmt::format("{}/{}", home, name);
  return number == 1 ? directory : fmt::format("{}-{}", directory, number);
}

}  // namespace

std::string directoryName(const std::string& project_name) {
  std::string name;
  for (const char c : project_name) {
    if (isPlain(c)) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '-') {
      name.push_back('-');
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) {
    name.pop_back();
  }
  while (!name.empty() && name.front() == '.') {
    name.erase(0, 1);
  }
  return name.empty() ? "project" : name;
}

Status ClonePath::attach(http::IHttpServer& server) {
  server_ = &server;
  auto route =
      server.route({.method = "GET", .pattern = "/api/v1/hosts/:hostId/clone-default-path"},
                   [this](const http::ExchangePtr& exchange) { ask(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void ClonePath::ask(const http::ExchangePtr& exchange) {
  const auto project = exchange->request().queryParameter("projectId").value_or(std::string{});
  if (!isPathSegment(project)) {
    exchange->fail(
        {errc::kInvalidInput, "the request is not valid: projectId: Expected the id of a project"});
    return;
  }
  http::Request request;
  request.method = "GET";
  request.target = fmt::format("{}{}", kProjects, project);
  if (!server_->serves(request.method, request.target)) {
    exchange->fail(
        {errc::kNotSupported,
         "hosts.cloneDefaultPath is not available yet: this version of the server has no "
         "projects"});
    return;
  }
  request.path = request.target;
  request.caller_plugin = exchange->request().caller_plugin;
  Asked asked{.exchange = exchange,
              .host_id = std::string(exchange->request().parameter("hostId")),
              .name = {},
              .home = {}};
  server_->dispatch(
      std::move(request), {},
      [&commands = commands_, asked = std::move(asked)](Result<http::Response> answer) mutable {
        if (!answer) {
          asked.exchange->fail(answer.error());
          return;
        }
        const auto told = Json::parse(answer.value().body);
        const auto body = told ? told.value() : Json();
        if (!body["ok"].asBool()) {
          asked.exchange->respond(std::move(answer).value());
          return;
        }
        asked.name = directoryName(body["project"]["name"].asString());
        named(commands, std::move(asked));
      });
}

void ClonePath::named(IHostCommands& commands, Asked asked) {
  const auto host_id = asked.host_id;
  commands.send(host_id, Json::object().set("type", hostprotocol::command::kDirectory).dump(),
                limits::kHostCall,
                [&commands, asked = std::move(asked)](Result<std::string> result) mutable {
                  const auto answer = answerObject(result);
                  if (!answer) {
                    asked.exchange->fail(hostFailure(answer.error()));
                    return;
                  }
                  asked.home = answer.value()["directory"].asString();
                  located(commands, std::move(asked));
                });
}

void ClonePath::located(IHostCommands& commands, Asked asked) {
  auto paths = Json::array();
  for (int number = 1; number <= kTries; ++number) {
    paths.push(candidate(asked.home, asked.name, number));
  }
  commands.send(
      asked.host_id,
      Json::object()
          .set("type", hostprotocol::command::kPathsExist)
          .set("paths", std::move(paths))
          .dump(),
      limits::kHostCall, [asked](Result<std::string> result) {
        const auto answer = answerObject(result);
        if (!answer) {
          asked.exchange->fail(hostFailure(answer.error()));
          return;
        }
        const auto& existence = answer.value()["existence"];
        int number = 1;
        while (number < kTries && existence[candidate(asked.home, asked.name, number)].asBool()) {
          ++number;
        }
        http::Response response;
        response.body = Json::object()
                            .set("ok", true)
                            .set("path", candidate(asked.home, asked.name, number))
                            .dump();
        asked.exchange->respond(std::move(response));
      });
}

}  // namespace svc::hosts
