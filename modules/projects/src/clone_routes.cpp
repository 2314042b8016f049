#include "clone_routes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/common/record_id.h"
#include "svc/hostprotocol/protocol.h"

#include "requests.h"

namespace svc::projects {
namespace {

using common::Json;
namespace command = hostprotocol::command;

Json cloneCommand(std::string_view type, const std::string& clone_id) {
  return Json::object().set("type", type).set("cloneId", clone_id);
}

Error noSuchClone(std::string_view clone_id) {
  return {errc::kNotFound,
          fmt::format("no clone \"{}\" runs; it may have ended meanwhile", clone_id)};
}

}  // namespace

Status CloneRoutes::attach(http::IHttpServer& server) {
  server_ = &server;
  const std::string base = "/api/v1/projects/:projectId/clones";
  auto listed = server.route({.method = "GET", .pattern = base},
                             [this](const http::ExchangePtr& exchange) { list(exchange); });
  auto ended = server.route({.method = "DELETE", .pattern = base + "/:cloneId"},
                            [this](const http::ExchangePtr& exchange) { cancel(exchange); });
  if (!listed || !ended) {
    return listed ? std::move(ended).error() : std::move(listed).error();
  }
  routes_.push_back(std::move(listed).value());
  routes_.push_back(std::move(ended).value());
  return {};
}

Result<CloneRoutes::Clone> CloneRoutes::read(const http::Request& request) const {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto now = with_.clock.nowMs();
  Clone clone{.id = common::newRecordId("clone", now),
              .project_id = std::string(request.parameter("projectId")),
              .remote_url = stringOrNull(body, "remoteUrl").value_or(std::string{}),
              .place = {.host_id = body.requiredString("hostId"),
                        .path = stringOrNull(body, "targetPath").value_or(std::string{})},
              .started_at = now};
  if (!clone.place.path.empty()) {
    if (const auto checked = checkPath(clone.place.path); !checked) {
      body.issue(checked.error().message, {Json("targetPath")});
    } else if (clone.place.path.front() != '/') {
      body.issue("Expected an absolute path", {Json("targetPath")});
    }
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  if (clone.remote_url.empty()) {
    const auto record = with_.registry.record(clone.project_id);
    clone.remote_url = record ? record.value()["gitRemoteUrl"].asString() : std::string();
  }
  if (clone.remote_url.empty()) {
    return Error{errc::kInvalidInput,
                 "remoteUrl: the project knows no remote of its own; say what is to be cloned"};
  }
  return clone;
}

void CloneRoutes::begin(const http::ExchangePtr& exchange) {
  auto clone = read(exchange->request());
  if (!clone) {
    return exchange->fail(clone.error());
  }
  if (clone.value().place.path.empty()) {
    return locate(exchange, std::move(clone).value());
  }
  start(exchange, clone.value());
}

void CloneRoutes::locate(const http::ExchangePtr& exchange, Clone clone) {
  http::Request request;
  request.method = "GET";
  request.path = fmt::format("/api/v1/hosts/{}/clone-default-path", clone.place.host_id);
  request.query = "projectId=" + clone.project_id;
  request.target = request.path + "?" + request.query;
  request.caller_plugin = exchange->request().caller_plugin;
  if (clone.place.host_id.find_first_of("/?#%") != std::string::npos ||
      !server_->serves(request.method, request.path)) {
    return exchange->fail({errc::kInvalidInput, "targetPath: say where the clone is to be"});
  }
  server_->dispatch(
      std::move(request), {},
      [this, exchange, clone = std::move(clone)](Result<http::Response> answer) mutable {
        if (!answer) {
          return exchange->fail(answer.error());
        }
        const auto body = Json::parse(answer.value().body);
        if (!body || !body.value()["ok"].asBool()) {
          return exchange->respond(std::move(answer).value());
        }
        clone.place.path = body.value()["path"].asString();
        start(exchange, clone);
      });
}

void CloneRoutes::start(const http::ExchangePtr& exchange, const Clone& clone) {
  {
    const std::scoped_lock lock(running_->mutex);
    for (const auto& [id, other] : running_->all) {
      if (other.place.host_id == clone.place.host_id && other.place.path == clone.place.path) {
        return exchange->fail({errc::kConflict, fmt::format("something is being cloned to {} "
                                                            "already",
                                                            clone.place.path)});
      }
    }
    running_->all.emplace(clone.id, clone);
  }
  with_.machines.ask(
      clone.place.host_id,
      cloneCommand(command::kGitClone, clone.id)
          .set("remoteUrl", clone.remote_url)
          .set("path", clone.place.path),
      limits::kClone + limits::kHostTransport,
      [with = with_, running = running_, exchange, clone](const Result<Json>& done) {
        {
          const std::scoped_lock lock(running->mutex);
          running->all.erase(clone.id);
        }
        if (!done) {
          return exchange->fail(done.error());
        }
        // Also when the client has gone meanwhile: the folder is there.
        onWorker(with.workers, exchange,
                 [&registry = with.registry, clone](http::IExchange& later) {
                   auto source = registry.addSource(clone.project_id, clone.place);
                   if (!source) {
                     return later.fail(source.error());
                   }
                   if (const auto first = registry.placeOf(clone.project_id, {}, {});
                       first && first.value().path == clone.place.path) {
                     (void)registry.noteGitRemote(clone.project_id, clone.remote_url);
                   }
                   respond(later, 201, Json::object().set("source", std::move(source).value()));
                 });
      });
}

std::vector<CloneRoutes::Clone> CloneRoutes::of(std::string_view project_id) const {
  const std::scoped_lock lock(running_->mutex);
  std::vector<Clone> out;
  for (const auto& [id, clone] : running_->all) {
    if (clone.project_id == project_id) {
      out.push_back(clone);
    }
  }
  return out;
}

void CloneRoutes::list(const http::ExchangePtr& exchange) {
  const auto project_id = exchange->request().parameter("projectId");
  if (const auto record = with_.registry.record(project_id); !record) {
    return exchange->fail(record.error());
  }
  struct Answer {
    explicit Answer(http::ExchangePtr to) : exchange(std::move(to)) {}
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;
    ~Answer() { respond(*exchange, 200, Json::object().set("clones", std::move(clones))); }
    http::ExchangePtr exchange;
    std::mutex mutex;
    Json clones = Json::array();
  };
  // Answers when the last machine has.
  const auto answer = std::make_shared<Answer>(exchange);
  for (const auto& clone : of(project_id)) {
    with_.machines.ask(
        clone.place.host_id, cloneCommand(command::kGitCloneState, clone.id),
        limits::kHostTransport, [answer, clone](const Result<Json>& state) {
          const std::scoped_lock lock(answer->mutex);
          answer->clones.push(Json::object()
                                  .set("id", clone.id)
                                  .set("hostId", clone.place.host_id)
                                  .set("path", clone.place.path)
                                  .set("remoteUrl", clone.remote_url)
                                  .set("startedAt", clone.started_at)
                                  .set("progress", state ? state.value()["progress"] : Json()));
        });
  }
}

void CloneRoutes::cancel(const http::ExchangePtr& exchange) {
  const auto clones = of(exchange->request().parameter("projectId"));
  const auto wanted = exchange->request().parameter("cloneId");
  const auto found = std::find_if(clones.begin(), clones.end(),
                                  [&](const Clone& each) { return each.id == wanted; });
  if (found == clones.end()) {
    return exchange->fail(noSuchClone(wanted));
  }
  with_.machines.ask(found->place.host_id, cloneCommand(command::kGitCloneCancel, found->id),
                     limits::kHostCall, [exchange, id = found->id](const Result<Json>& done) {
                       if (!done) {
                         return exchange->fail(done.error());
                       }
                       if (!done.value()["cancelled"].asBool()) {
                         return exchange->fail(noSuchClone(id));
                       }
                       respond(*exchange, 200, Json::object());
                     });
}

}  // namespace svc::projects
