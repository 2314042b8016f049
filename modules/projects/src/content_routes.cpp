#include "content_routes.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/protocol.h"

#include "requests.h"

namespace svc::projects {
namespace {

using common::Json;
namespace command = hostprotocol::command;

constexpr auto kGitWait = limits::kGit + limits::kHostTransport;

std::string parameterOf(const http::Request& request, std::string_view name) {
  return request.queryParameter(name).value_or(std::string{});
}

Result<Place> placeFor(const ProjectRegistry& registry, const http::Request& request) {
  return registry.placeOf(std::string(request.parameter("projectId")),
                          parameterOf(request, "hostId"), parameterOf(request, "environmentId"));
}

/// The members query and limit; what limit may be is the machine's to say, but for being a number.
Result<Json> readQuery(const http::Request& request, std::size_t most, std::size_t normal) {
  auto query = Json::object().set("limit", static_cast<std::int64_t>(normal));
  if (auto text = request.queryParameter("query"); text && !text->empty()) {
    query.set("query", *std::move(text));
  }
  if (const auto text = request.queryParameter("limit"); text && !text->empty()) {
    std::size_t limit = 0;
    const auto* const end = text->data() + text->size();
    const auto [stop, failure] = std::from_chars(text->data(), end, limit);
    if (failure != std::errc{} || stop != end || limit < 1 || limit > most) {
      return Error{errc::kInvalidInput,
                   fmt::format("limit: expected a number from 1 to {}, got \"{}\"", most, *text)};
    }
    query.set("limit", static_cast<std::int64_t>(limit));
  }
  return query;
}

Json withType(Json command, std::string_view type, const Place& place) {
  return command.set("type", type).set("path", place.path);
}

void relay(const http::ExchangePtr& exchange, Result<Json> answer) {
  if (!answer) {
    return exchange->fail(answer.error());
  }
  respond(*exchange, 200, answer.value());
}

Json asFiles(const Json& paths) {
  auto files = Json::array();
  for (const auto& path : paths["paths"].items()) {
    files.push(Json::object().set("name", path["name"]).set("path", path["path"]));
  }
  return Json::object().set("files", std::move(files)).set("truncated", paths["truncated"]);
}

Json asPaths(const Json& paths) {
  return Json::object().set("paths", paths["paths"]).set("truncated", paths["truncated"]);
}

}  // namespace

Status ContentRoutes::attach(http::IHttpServer& server) {
  using Member = void (ContentRoutes::*)(const http::ExchangePtr& exchange);
  for (const auto& [name, member] : {std::pair<const char*, Member>{"files", &ContentRoutes::files},
                                     {"paths", &ContentRoutes::paths},
                                     {"file-content", &ContentRoutes::fileContent},
                                     {"branches", &ContentRoutes::branches}}) {
    auto route = server.route(
        {.method = "GET", .pattern = fmt::format("/api/v1/projects/:projectId/{}", name)},
        [this, member = member](const http::ExchangePtr& exchange) { (this->*member)(exchange); });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void ContentRoutes::files(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  auto query = readQuery(request, limits::kListing, limits::kListingDefault);
  const auto place = placeFor(registry_, request);
  if (!query || !place) {
    return exchange->fail(query ? place.error() : query.error());
  }
  query.value().set("includeFiles", true).set("includeDirectories", false);
  listed(exchange, place.value(), std::move(query).value(), asFiles);
}

void ContentRoutes::paths(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  auto query = readQuery(request, limits::kListing, limits::kListingDefault);
  const auto place = placeFor(registry_, request);
  if (!query || !place) {
    return exchange->fail(query ? place.error() : query.error());
  }
  for (const char* member : {"includeFiles", "includeDirectories"}) {
    const auto wanted = request.queryParameter(member) ? queryFlag(request, member) : true;
    if (!wanted) {
      return exchange->fail(wanted.error());
    }
    query.value().set(member, wanted.value());
  }
  listed(exchange, place.value(), std::move(query).value(), asPaths);
}

void ContentRoutes::listed(const http::ExchangePtr& exchange, const Place& place, Json query,
                           Answer answer) {
  machines_.ask(
      place.host_id, withType(query, command::kGitPaths, place), kGitWait,
      [&machines = machines_, exchange, place, query,
       answer = std::move(answer)](Result<Json> found) mutable {
        if (!found) {
          return exchange->fail(found.error());
        }
        if (found.value()["isGitRepo"].asBool()) {
          return respond(*exchange, 200, answer(found.value()));
        }
        machines.ask(
            place.host_id,
            withType(std::move(query), command::kListPaths, place).set("rootPath", place.path),
            limits::kFileCommand, [exchange, answer = std::move(answer)](Result<Json> walked) {
              relay(exchange, walked ? Result<Json>(answer(walked.value())) : std::move(walked));
            });
      });
}

void ContentRoutes::fileContent(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto path = request.queryParameter("path");
  if (!path || path->empty() || path->front() == '/' || path->front() == '~') {
    return exchange->fail({errc::kInvalidInput,
                           "path: expected the path of a file, relative to the project's folder"});
  }
  const auto place = placeFor(registry_, request);
  if (!place) {
    return exchange->fail(place.error());
  }
  machines_.ask(
      place.value().host_id,
      Json::object()
          .set("type", command::kReadFile)
          .set("path", *path)
          .set("rootPath", place.value().path),
      limits::kFileCommand, [exchange](Result<Json> read) {
        if (!read) {
          return exchange->fail(read.error());
        }
        auto answer = Json::object();
        for (const char* member : {"content", "contentEncoding", "mimeType", "sizeBytes"}) {
          if (const auto* value = read.value().find(member)) {
            answer.set(member, *value);
          }
        }
        respond(*exchange, 200, answer);
      });
}

void ContentRoutes::branches(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  auto query = readQuery(request, limits::kBranches, limits::kBranchesDefault);
  const auto place = placeFor(registry_, request);
  if (!query || !place) {
    return exchange->fail(query ? place.error() : query.error());
  }
  if (auto selected = request.queryParameter("selectedBranch"); selected && !selected->empty()) {
    query.value().set("selectedBranch", *std::move(selected));
  }
  machines_.ask(place.value().host_id,
                withType(std::move(query).value(), command::kGitBranches, place.value()), kGitWait,
                [exchange](Result<Json> found) { relay(exchange, std::move(found)); });
  noteRemote(std::string(request.parameter("projectId")), place.value());
}

void ContentRoutes::noteRemote(const std::string& project_id, const Place& place) {
  const auto chosen = registry_.placeOf(project_id, {}, {});
  if (!chosen || chosen.value().host_id != place.host_id || chosen.value().path != place.path) {
    return;
  }
  machines_.ask(
      place.host_id, withType(Json::object(), command::kGitRemote, place), kGitWait,
      [&workers = workers_, &registry = registry_, project_id](const Result<Json>& found) {
        if (!found) {
          return;  // it is asked again with the next look at the branches
        }
        (void)workers.submit([&registry, project_id, url = found.value()["remoteUrl"].asString()] {
          (void)registry.noteGitRemote(project_id, url);
        });
      });
}

}  // namespace svc::projects
