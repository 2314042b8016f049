#include "project_routes.h"

#include <string>
#include <utility>

#include "svc/common/codes.h"

#include "requests.h"

namespace svc::projects {
namespace {

using common::Json;

constexpr const char* kLocalPath = "local_path";
constexpr const char* kClone = "clone";

std::string projectIdOf(const http::Request& request) {
  return std::string(request.parameter("projectId"));
}

constexpr const char* kThreads = "/api/v1/threads";

/// Whether the list is to have threads, which it can only where there are some.
Result<bool> readInclude(const http::Request& request, const http::IHttpServer& server) {
  const auto include = request.queryParameter("include");
  if (!include || include->empty()) {
    return false;
  }
  if (*include != "threads") {
    return Error{errc::kInvalidInput, "include: expected \"threads\""};
  }
  if (!server.serves("GET", kThreads)) {
    return Error{errc::kNotSupported, "include: this server has no threads"};
  }
  return true;
}

/// Gives the projects from `at` on what belongs to threads, one after the other, and answers.
void addThreads(http::IHttpServer& server, const http::ExchangePtr& exchange, Json projects,
                std::size_t at, Json done) {
  if (at == projects.items().size()) {
    return respond(*exchange, 200, Json::object().set("projects", std::move(done)));
  }
  http::Request request;
  request.method = "GET";
  request.target = std::string(kThreads) + "?projectId=" + projects.items()[at]["id"].asString();
  server.dispatch(std::move(request), exchange->disconnected(),
                  [&server, exchange, projects = std::move(projects), at,
                   done = std::move(done)](Result<http::Response> listed) mutable {
                    if (!listed) {
                      return exchange->fail(listed.error());
                    }
                    auto body = Json::parse(listed.value().body);
                    if (listed.value().status != 200 || !body) {
                      return exchange->respond(std::move(listed).value());
                    }
                    auto project = projects.items()[at];
                    done.push(std::move(project.set("threads", body.value()["threads"])
                                            .set("defaultExecutionOptions", nullptr)));
                    addThreads(server, exchange, std::move(projects), at + 1, std::move(done));
                  });
}

struct NewProject {
  std::string name;
  Place place;
};

Result<NewProject> readNewProject(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  NewProject wanted;
  if (const auto text = body.requiredString("name"); body.body()["name"].isString()) {
    auto name = readProjectName(text);
    if (!name) {
      body.issue(name.error().message, {Json("name")});
    } else {
      wanted.name = std::move(name).value();
    }
  }
  const auto& source = body.body()["source"];
  if (!source.isObject()) {
    body.issue("Required: { type: \"local_path\", hostId, path }", {Json("source")});
  } else {
    if (source["type"].asString() != kLocalPath) {
      body.issue("Expected \"local_path\"", {Json("source"), Json("type")});
    }
    wanted.place = readPlace(body, source, "source");
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return wanted;
}

/// nullopt: the name stays.
Result<std::optional<std::string>> readUpdate(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  auto text = body.optionalString("name");
  if (text) {
    auto name = readProjectName(*text);
    if (!name) {
      body.issue(name.error().message, {Json("name")});
    } else {
      text = std::move(name).value();
    }
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return text;
}

struct Move {
  std::string project_id;
  std::optional<std::string> previous;
  std::optional<std::string> next;
};

Result<Move> readMove(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  Move move{.project_id = body.requiredString("projectId"),
            .previous = stringOrNull(body, "previousProjectId"),
            .next = stringOrNull(body, "nextProjectId")};
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return move;
}

Result<Place> readNewSource(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto type = body.requiredString("type");
  if (body.body()["type"].isString() && type != kLocalPath) {
    body.issue("Expected \"local_path\" or \"clone\"", {Json("type")});
  }
  auto place = readPlace(body, body.body(), {});
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return place;
}

Result<SourceEdit> readSourceEdit(const http::Request& request) {
  auto parsed = readBody(request);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  if (const auto* type = body.body().find("type");
      type != nullptr && type->asString() != kLocalPath) {
    body.issue("Expected \"local_path\"", {Json("type")});
  }
  SourceEdit edit{.path = body.optionalString("path")};
  if (edit.path) {
    if (const auto checked = checkPath(*edit.path); !checked) {
      body.issue(checked.error().message, {Json("path")});
    }
  }
  if (const auto* is_default = body.body().find("isDefault"); is_default != nullptr) {
    edit.make_default = is_default->asBool();
    if (!edit.make_default) {
      body.issue("Expected true: a source stops being the default when another one becomes it",
                 {Json("isDefault")});
    }
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  return edit;
}

void answer(http::IExchange& exchange, unsigned status, const char* member, Result<Json> record) {
  if (!record) {
    return exchange.fail(record.error());
  }
  respond(exchange, status, Json::object().set(member, std::move(record).value()));
}

void answer(http::IExchange& exchange, const Status& done) {
  if (!done) {
    return exchange.fail(done.error());
  }
  respond(exchange, 200, Json::object());
}

}  // namespace

Status ProjectRoutes::attach(http::IHttpServer& server) {
  using Member = void (ProjectRoutes::*)(const http::ExchangePtr& exchange);
  struct Entry {
    const char* method;
    const char* pattern;
    Member member;
  };
  server_ = &server;
  for (const auto& entry :
       {Entry{"GET", "/api/v1/projects", &ProjectRoutes::list},
        Entry{"POST", "/api/v1/projects", &ProjectRoutes::create},
        Entry{"POST", "/api/v1/projects/reorder", &ProjectRoutes::reorder},
        Entry{"GET", "/api/v1/projects/:projectId", &ProjectRoutes::show},
        Entry{"PATCH", "/api/v1/projects/:projectId", &ProjectRoutes::update},
        Entry{"DELETE", "/api/v1/projects/:projectId", &ProjectRoutes::remove},
        Entry{"GET", "/api/v1/projects/:projectId/default-execution-options",
              &ProjectRoutes::defaultOptions},
        Entry{"POST", "/api/v1/projects/:projectId/sources", &ProjectRoutes::addSource},
        Entry{"PATCH", "/api/v1/projects/:projectId/sources/:sourceId", &ProjectRoutes::editSource},
        Entry{"DELETE", "/api/v1/projects/:projectId/sources/:sourceId",
              &ProjectRoutes::removeSource}}) {
    auto route = server.route({.method = entry.method, .pattern = entry.pattern},
                              [this, member = entry.member](const http::ExchangePtr& exchange) {
                                (this->*member)(exchange);
                              });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void ProjectRoutes::list(const http::ExchangePtr& exchange) {
  const auto with_personal = queryFlag(exchange->request(), "includePersonal");
  if (!with_personal) {
    return exchange->fail(with_personal.error());
  }
  const auto included = readInclude(exchange->request(), *server_);
  if (!included) {
    return exchange->fail(included.error());
  }
  auto projects = registry_.records(with_personal.value());
  if (included.value()) {
    return addThreads(*server_, exchange, std::move(projects), 0, Json::array());
  }
  respond(*exchange, 200, Json::object().set("projects", std::move(projects)));
}

void ProjectRoutes::show(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "project", registry_.record(exchange->request().parameter("projectId")));
}

void ProjectRoutes::create(const http::ExchangePtr& exchange) {
  auto wanted = readNewProject(exchange->request());
  if (!wanted) {
    return exchange->fail(wanted.error());
  }
  withPlace(exchange, wanted.value().place,
            [this, name = wanted.value().name](http::IExchange& later, const Place& place) {
              answer(later, 201, "project", registry_.create(name, place));
            });
}

void ProjectRoutes::update(const http::ExchangePtr& exchange) {
  const auto project_id = projectIdOf(exchange->request());
  auto name = readUpdate(exchange->request());
  if (!name) {
    return exchange->fail(name.error());
  }
  if (const auto allowed = registry_.checkChangeable(project_id); !allowed) {
    return exchange->fail(allowed.error());
  }
  if (!name.value()) {
    return answer(*exchange, 200, "project", registry_.record(project_id));
  }
  onWorker(workers_, exchange,
           [this, project_id, wanted = *std::move(name).value()](http::IExchange& later) {
             answer(later, 200, "project", registry_.rename(project_id, wanted));
           });
}

void ProjectRoutes::remove(const http::ExchangePtr& exchange) {
  onWorker(workers_, exchange,
           [this, project_id = projectIdOf(exchange->request())](http::IExchange& later) {
             answer(later, registry_.remove(project_id));
           });
}

void ProjectRoutes::reorder(const http::ExchangePtr& exchange) {
  auto move = readMove(exchange->request());
  if (!move) {
    return exchange->fail(move.error());
  }
  onWorker(workers_, exchange, [this, wanted = std::move(move).value()](http::IExchange& later) {
    answer(later, 200, "projects",
           registry_.reorder(wanted.project_id, wanted.previous, wanted.next));
  });
}

void ProjectRoutes::defaultOptions(const http::ExchangePtr& exchange) {
  const auto record = registry_.record(exchange->request().parameter("projectId"));
  if (!record) {
    return exchange->fail(record.error());
  }
  // Nothing sets any: what a thread does not say is the first provider's default.
  respond(*exchange, 200, Json::object().set("options", nullptr));
}

void ProjectRoutes::addSource(const http::ExchangePtr& exchange) {
  const auto project_id = projectIdOf(exchange->request());
  if (const auto body = Json::parse(exchange->request().body);
      body && body.value()["type"].asString() == std::string_view(kClone)) {
    const auto allowed = registry_.checkChangeable(project_id);
    return allowed ? clones_.begin(exchange) : exchange->fail(allowed.error());
  }
  auto place = readNewSource(exchange->request());
  if (!place) {
    return exchange->fail(place.error());
  }
  if (const auto allowed = registry_.checkChangeable(project_id); !allowed) {
    return exchange->fail(allowed.error());
  }
  withPlace(exchange, std::move(place).value(),
            [this, project_id](http::IExchange& later, const Place& checked) {
              answer(later, 201, "source", registry_.addSource(project_id, checked));
            });
}

void ProjectRoutes::editSource(const http::ExchangePtr& exchange) {
  const auto project_id = projectIdOf(exchange->request());
  const std::string source_id(exchange->request().parameter("sourceId"));
  auto edit = readSourceEdit(exchange->request());
  if (!edit) {
    return exchange->fail(edit.error());
  }
  const auto source = registry_.source(project_id, source_id);
  if (!source) {
    return exchange->fail(source.error());
  }
  const auto apply = [this, project_id, source_id](http::IExchange& later,
                                                   const SourceEdit& wanted) {
    answer(later, 200, "source", registry_.editSource(project_id, source_id, wanted));
  };
  if (!edit.value().path) {
    return onWorker(workers_, exchange, [apply, wanted = edit.value()](http::IExchange& later) {
      apply(later, wanted);
    });
  }
  withPlace(exchange, {source.value().host_id, *edit.value().path},
            [apply, wanted = edit.value()](http::IExchange& later, const Place& place) {
              apply(later, {.path = place.path, .make_default = wanted.make_default});
            });
}

void ProjectRoutes::removeSource(const http::ExchangePtr& exchange) {
  onWorker(
      workers_, exchange,
      [this, project_id = projectIdOf(exchange->request()),
       source_id = std::string(exchange->request().parameter("sourceId"))](http::IExchange& later) {
        answer(later, registry_.removeSource(project_id, source_id));
      });
}

void ProjectRoutes::withPlace(const http::ExchangePtr& exchange, Place place,
                              std::function<void(http::IExchange& later, const Place& place)> job) {
  places_.check(std::move(place),
                [this, exchange, job = std::move(job)](Result<Place> checked) mutable {
                  if (!checked) {
                    return exchange->fail(checked.error());
                  }
                  onWorker(workers_, exchange,
                           [job = std::move(job), found = std::move(checked).value()](
                               http::IExchange& later) { job(later, found); });
                });
}

}  // namespace svc::projects
