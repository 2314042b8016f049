#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"

#include "input.h"
#include "requests.h"
#include "route_lookup.h"
#include "thread_limits.h"
#include "thread_record.h"
#include "thread_routes.h"

/// Routes that show of a thread what other modules have: files, environments, machines, windows.
namespace svc::threads {

using common::Json;

namespace {

std::string idIn(const http::ExchangePtr& exchange) {
  return std::string(exchange->request().parameter("threadId"));
}

struct Included {
  const char* name;
  const char* id_member;
  const char* route;
};
constexpr std::array kIncluded{
    Included{"environment", "environmentId", "/api/v1/environments/"},
    Included{"host", "environmentHostId", "/api/v1/hosts/"},
};

/// Adds the records that are asked for, one after the other.
void include(http::IHttpServer& server, const http::ExchangePtr& exchange, Json record,
             std::vector<Included> wanted) {
  if (wanted.empty()) {
    return answer(*exchange, 200, "thread", std::move(record));
  }
  const auto next = wanted.front();
  wanted.erase(wanted.begin());
  const auto id = record[next.id_member].asString();
  auto add = [&server, exchange, record = std::move(record), wanted = std::move(wanted),
              next](Result<Json> body) mutable {
    record.set(next.name, body ? body.value()[next.name] : Json());
    include(server, exchange, std::move(record), std::move(wanted));
  };
  if (id.empty()) {
    return add(Json());
  }
  askRoute(server, next.route + id, std::move(add));
}

/// true, false or null: absent.
Result<Json> flagOf(const http::Request& request, const char* name) {
  const auto flag = queryFlag(request, name);
  return flag ? Result<Json>(Json(flag.value().value_or(true))) : flag.error();
}

/// The request to the files of the server's machine that a listing of a thread's folder is.
Result<Json> readListing(const http::Request& request, const std::string& folder, bool paths) {
  const auto limit = queryNumber(request, "limit", 1, static_cast<std::int64_t>(limits::kListing));
  if (!limit) {
    return limit.error();
  }
  auto command = Json::object().set("path", folder);
  if (const auto text = request.queryParameter("query"); text && !text->empty()) {
    command.set("query", *text);
  }
  if (limit.value()) {
    command.set("limit", *limit.value());
  }
  for (const char* name : {"includeFiles", "includeDirectories"}) {
    if (paths) {
      auto flag = flagOf(request, name);
      if (!flag) {
        return flag;
      }
      command.set(name, std::move(flag).value());
    }
  }
  return command;
}

constexpr const char* kSplits[] = {"left", "right", "top", "down", "replace"};

}  // namespace

std::vector<ThreadRoutes::Entry> ThreadRoutes::neighbourEntries() {
  using Routes = ThreadRoutes;
  return {{"GET", "/api/v1/threads/:threadId", &Routes::show},
          {"POST", "/api/v1/threads/:threadId/open", &Routes::open},
          {"GET", "/api/v1/threads/:threadId/storage-files", &Routes::storageFiles},
          {"GET", "/api/v1/threads/:threadId/storage-paths", &Routes::storagePaths},
          {"GET", "/api/v1/threads/:threadId/storage-location", &Routes::storageLocation},
          {"GET", "/api/v1/projects/:projectId/prompt-history", &Routes::projectHistory},
          {"POST", "/api/v1/environments/:environmentId/archive-threads", &Routes::archiveAllOf}};
}

void ThreadRoutes::projectHistory(const http::ExchangePtr& exchange) {
  const auto limit = queryNumber(exchange->request(), "limit", 1, kPageMax);
  if (!limit) {
    return exchange->fail(limit.error());
  }
  const auto id = std::string(exchange->request().parameter("projectId"));
  if (!projects_.find(id)) {
    return exchange->fail(
        {errc::kNotFound, "there is no project \"" + id + "\"; `svc project list` shows them"});
  }
  answer(*exchange, 200, "entries",
         desk_.log.projectHistory(id, static_cast<std::size_t>(limit.value().value_or(kPage))));
}

void ThreadRoutes::archiveAllOf(const http::ExchangePtr& exchange) {
  const auto id = std::string(exchange->request().parameter("environmentId"));
  const auto threads = desk_.records.inEnvironment(id);
  if (!threads.empty()) {
    return archiveEach(exchange, threads);
  }
  askRoute(*server_, "/api/v1/environments/" + id, [exchange, id](const Result<Json>& found) {
    if (!found || found.value().isNull()) {
      return exchange->fail({errc::kNotFound, "there is no environment \"" + id +
                                                  "\"; `svc environment list` shows them"});
    }
    answer(*exchange, 200, "archivedThreadIds", Json::array());
  });
}

void ThreadRoutes::show(const http::ExchangePtr& exchange) {
  auto record = desk_.records.get(idIn(exchange));
  if (!record) {
    return exchange->fail(record.error());
  }
  std::vector<Included> wanted;
  for (const auto& name : queryList(exchange->request(), "include")) {
    const auto* known = std::find_if(kIncluded.begin(), kIncluded.end(),
                                     [&name](const Included& each) { return each.name == name; });
    if (known == kIncluded.end()) {
      return exchange->fail(
          {errc::kInvalidInput, "include: expected environment, host or environment,host"});
    }
    wanted.push_back(*known);
  }
  include(*server_, exchange, std::move(record).value(), std::move(wanted));
}

void ThreadRoutes::open(const http::ExchangePtr& exchange) {
  const auto id = idIn(exchange);
  if (const auto thread = desk_.book.thread(id); !thread) {
    return exchange->fail(thread.error());
  }
  auto body = readBody(exchange->request());
  if (!body) {
    return exchange->fail(body.error());
  }
  const auto& file = body.value().body()["file"];
  if (!file.isNull()) {
    const auto& source = file["source"].asString();
    if ((source != "workspace" && source != "thread-storage") || !file["path"].isString() ||
        !(file["lineNumber"].isNull() || file["lineNumber"].isInteger())) {
      body.value().issue(
          "Expected { source: \"workspace\" | \"thread-storage\", path, lineNumber | null } or "
          "null",
          {Json("file")});
    }
  }
  const auto split = body.value().body()["split"].isNull() ? std::optional<std::string>()
                                                           : body.value().optionalString("split");
  if (split && std::find(std::begin(kSplits), std::end(kSplits), *split) == std::end(kSplits)) {
    body.value().issue("Expected left, right, top, down or replace", {Json("split")});
  }
  if (const auto checked = body.value().finish(); !checked) {
    return exchange->fail(checked.error());
  }
  auto message = Json::object().set("type", "thread-open").set("threadId", id).set("file", file);
  if (split) {
    message.set("split", *split);
  }
  const auto told =
      desk_.around.hub == nullptr ? 0 : desk_.around.hub->toEveryWindow(message.dump());
  respond(*exchange, 200, Json::object().set("delivered", static_cast<std::int64_t>(told)));
}

Result<std::string> ThreadRoutes::folderOf(const http::ExchangePtr& exchange) {
  const auto id = idIn(exchange);
  if (const auto thread = desk_.book.thread(id); !thread) {
    return thread.error();
  }
  const auto folder = desk_.around.folders.open(id);
  return folder ? Result<std::string>(folder.value().string()) : folder.error();
}

void ThreadRoutes::storageFiles(const http::ExchangePtr& exchange) {
  listStorage(exchange, "/api/v1/files/list", false);
}

void ThreadRoutes::storagePaths(const http::ExchangePtr& exchange) {
  listStorage(exchange, "/api/v1/files/list-paths", true);
}

void ThreadRoutes::listStorage(const http::ExchangePtr& exchange, const char* route, bool paths) {
  const auto folder = folderOf(exchange);
  if (!folder) {
    return exchange->fail(folder.error());
  }
  const auto command = readListing(exchange->request(), folder.value(), paths);
  if (!command) {
    return exchange->fail(command.error());
  }
  http::Request request;
  request.method = "POST";
  request.target = route;
  request.headers.push_back({"Content-Type", "application/json"});
  request.body = command.value().dump();
  server_->dispatch(std::move(request), exchange->disconnected(),
                    [exchange, folder = folder.value()](Result<http::Response> listed) {
                      if (!listed) {
                        return exchange->fail(listed.error());
                      }
                      auto body = Json::parse(listed.value().body);
                      if (listed.value().status != 200 || !body) {
                        return exchange->respond(std::move(listed).value());
                      }
                      auto members = Json::object().set("storageRootPath", folder);
                      for (const auto& [key, value] : body.value().members()) {
                        if (key != "ok") {
                          members.set(key, value);
                        }
                      }
                      respond(*exchange, 200, members);
                    });
}

void ThreadRoutes::storageLocation(const http::ExchangePtr& exchange) {
  const auto folder = folderOf(exchange);
  if (!folder) {
    return exchange->fail(folder.error());
  }
  respond(*exchange, 200,
          Json::object()
              .set("storageRootPath", folder.value())
              .set("hostId", textOrNull(desk_.around.server_host())));
}

}  // namespace svc::threads
