#include "thread_routes.h"

#include <algorithm>
#include <utility>

#include "svc/common/codes.h"

#include "newest_events.h"
#include "requests.h"
#include "thread_limits.h"

namespace svc::threads {

using common::Json;

namespace {

std::string threadIdOf(const http::ExchangePtr& exchange) {
  return std::string(exchange->request().parameter("threadId"));
}

std::vector<std::string> idsOf(const std::vector<storage::ThreadRow>& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) {
    out.push_back(row.id);
  }
  return out;
}

Json namesOf(const std::vector<std::string>& ids) {
  auto out = Json::array();
  for (const auto& id : ids) {
    out.push(id);
  }
  return out;
}

}  // namespace

std::vector<ThreadRoutes::Entry> ThreadRoutes::recordEntries() {
  using Routes = ThreadRoutes;
  return {{"GET", "/api/v1/threads", &Routes::list},
          {"GET", "/api/v1/threads/search", &Routes::search},
          {"POST", "/api/v1/threads/resolve-mentions", &Routes::mentions},
          {"POST", "/api/v1/threads/reorder-pinned", &Routes::reorderPinned},
          {"PATCH", "/api/v1/threads/:threadId", &Routes::update},
          {"DELETE", "/api/v1/threads/:threadId", &Routes::remove},
          {"POST", "/api/v1/threads/:threadId/archive", &Routes::archive},
          {"POST", "/api/v1/threads/:threadId/archive-all", &Routes::archive},
          {"POST", "/api/v1/threads/:threadId/unarchive", &Routes::unarchive},
          {"POST", "/api/v1/threads/:threadId/pin", &Routes::pin},
          {"POST", "/api/v1/threads/:threadId/unpin", &Routes::unpin},
          {"POST", "/api/v1/threads/:threadId/mark-read", &Routes::markRead},
          {"POST", "/api/v1/threads/:threadId/mark-unread", &Routes::markUnread},
          {"GET", "/api/v1/threads/:threadId/child-summary", &Routes::childSummary}};
}

Status ThreadRoutes::attach(http::IHttpServer& server) {
  server_ = &server;
  for (const auto& entries :
       {recordEntries(), spawnEntries(), turnEntries(), sideEntries(), neighbourEntries()}) {
    for (const auto& entry : entries) {
      // Nearly all of them read or write the store, so all of them leave the io thread.
      auto route = server.route(
          {.method = entry.method, .pattern = entry.pattern},
          [this, work = entry.work](const http::ExchangePtr& exchange) {
            onWorker(workers_, exchange,
                     [this, work](const http::ExchangePtr& later) { (this->*work)(later); });
          });
      if (!route) {
        return std::move(route).error();
      }
      routes_.push_back(std::move(route).value());
    }
  }
  return attachReads();
}

Status ThreadRoutes::attachReads() {
  for (const auto& entry : readEntries()) {
    auto route = server_->route({.method = "GET", .pattern = entry.pattern},
                                [this, read = entry.read](const http::ExchangePtr& exchange) {
                                  onReadLane(exchange, read);
                                });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void ThreadRoutes::onReadLane(const http::ExchangePtr& exchange, Read read) {
  const bool taken = reads_.post([this, exchange, read](const std::stop_token& stop) {
    if (exchange->disconnected().stop_requested()) {
      return exchange->fail({errc::kAborted, "the client has gone"});
    }
    if (const auto goes_on = unlessStopped(stop); !goes_on) {
      return exchange->fail(goes_on.error());
    }
    (this->*read)(exchange, stop);
  });
  if (!taken) {
    exchange->fail({errc::kOverloaded, "too many reads are waiting; try again later"});
  }
}

void ThreadRoutes::list(const http::ExchangePtr& exchange) {
  const auto filter = readFilter(exchange->request());
  if (!filter) {
    return exchange->fail(filter.error());
  }
  answer(*exchange, 200, "threads", desk_.records.list(filter.value()));
}

void ThreadRoutes::update(const http::ExchangePtr& exchange) {
  const auto patch = readPatch(exchange->request());
  if (!patch) {
    return exchange->fail(patch.error());
  }
  answer(*exchange, 200, "thread", desk_.records.update(threadIdOf(exchange), patch.value()));
}

void ThreadRoutes::remove(const http::ExchangePtr& exchange) {
  const auto confirmed = queryFlag(exchange->request(), "childThreadsConfirmed");
  if (!confirmed) {
    return exchange->fail(confirmed.error());
  }
  const auto id = threadIdOf(exchange);
  const auto whole = confirmed.value().value_or(false);
  const auto family = desk_.records.family(id);
  const bool goes = family.size() == 1 || whole;
  desk_.runner.stopThen(goes ? idsOf(family) : std::vector<std::string>(), "thread-deleted",
                        [this, exchange, id, whole] {
                          const auto gone = desk_.records.remove(id, whole);
                          answer(*exchange, gone ? Result<Json>(Json::object()) : gone.error());
                          if (gone) {
                            purge();
                          }
                        });
}

/// The data of threads that are deleted goes after they are hidden; what fails goes at the next start.
void ThreadRoutes::purge() {
  (void)desk_.records.purge(
      [this](const std::string& id) { (void)desk_.around.folders.remove(id); });
}

void ThreadRoutes::archive(const http::ExchangePtr& exchange) {
  archiveEach(exchange, {threadIdOf(exchange)});
}

void ThreadRoutes::archiveEach(const http::ExchangePtr& exchange,
                               std::vector<std::string> thread_ids) {
  std::vector<std::string> stopped;
  for (const auto& id : thread_ids) {
    const auto family = idsOf(desk_.records.family(id));
    stopped.insert(stopped.end(), family.begin(), family.end());
  }
  std::sort(stopped.begin(), stopped.end());
  stopped.erase(std::unique(stopped.begin(), stopped.end()), stopped.end());
  desk_.runner.stopThen(
      std::move(stopped), "thread-archived", [this, exchange, ids = std::move(thread_ids)] {
        const auto archived = desk_.records.archive(ids);
        answer(*exchange, 200, "archivedThreadIds",
               archived ? Result<Json>(namesOf(archived.value())) : archived.error());
      });
}

void ThreadRoutes::unarchive(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "thread", desk_.records.unarchive(threadIdOf(exchange)));
}

void ThreadRoutes::pin(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "thread", desk_.records.pin(threadIdOf(exchange), true));
}

void ThreadRoutes::unpin(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "thread", desk_.records.pin(threadIdOf(exchange), false));
}

void ThreadRoutes::markRead(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "thread", desk_.records.mark(threadIdOf(exchange), true));
}

void ThreadRoutes::markUnread(const http::ExchangePtr& exchange) {
  answer(*exchange, 200, "thread", desk_.records.mark(threadIdOf(exchange), false));
}

void ThreadRoutes::reorderPinned(const http::ExchangePtr& exchange) {
  auto parsed_body = readBody(exchange->request());
  if (!parsed_body) {
    return exchange->fail(parsed_body.error());
  }
  auto& body = parsed_body.value();
  const auto id = body.requiredString("threadId");
  const auto neighbour = [&body](const char* key) {
    return body.body()[key].isNull() ? std::nullopt : body.optionalString(key);
  };
  const auto previous = neighbour("previousThreadId");
  const auto next = neighbour("nextThreadId");
  if (const auto checked = body.finish(); !checked) {
    return exchange->fail(checked.error());
  }
  answer(*exchange, 200, "threads", desk_.records.reorderPinned(id, previous, next));
}

void ThreadRoutes::search(const http::ExchangePtr& exchange) {
  const auto text = exchange->request().queryParameter("query");
  if (!text || http::trimmed(*text).empty()) {
    return exchange->fail({errc::kInvalidInput, "query: a text to look for is missing"});
  }
  const auto limit = queryNumber(exchange->request(), "limitPerGroup", 1, kSearchGroupMax);
  if (!limit) {
    return exchange->fail(limit.error());
  }
  answer(*exchange,
         desk_.extras.search(std::string(http::trimmed(*text)),
                             static_cast<std::size_t>(limit.value().value_or(kSearchGroup))));
}

void ThreadRoutes::mentions(const http::ExchangePtr& exchange) {
  auto body = readBody(exchange->request());
  if (!body) {
    return exchange->fail(body.error());
  }
  const auto wanted = body.value().requiredStrings("threadIds");
  if (const auto checked = body.value().finish(); !checked) {
    return exchange->fail(checked.error());
  }
  answer(*exchange, 200, "threads", desk_.records.mentions(wanted));
}

void ThreadRoutes::childSummary(const http::ExchangePtr& exchange) {
  const auto count = desk_.records.childCount(threadIdOf(exchange));
  answer(*exchange, 200, "nonDeletedChildCount",
         count ? Result<Json>(Json(static_cast<std::int64_t>(count.value()))) : count.error());
}

}  // namespace svc::threads
