#include "server_log_route.h"

#include <algorithm>
#include <array>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/limits/plugins.h"
#include "svc/http/query.h"

namespace svc::metrics {
namespace {

using common::Json;

Result<ServerLogQuery> readQuery(const http::Request& request) {
  constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
  const auto tail = http::queryNumber(request, "tail", limits::kLogTail);
  if (!tail) {
    return tail.error();
  }
  ServerLogQuery query{.after = request.queryParameter("after").value_or("")};
  // A reader that follows by cursor wants every line since, not the newest few.
  query.tail = static_cast<std::size_t>(
      tail.value().value_or(query.after.empty() ? limits::kLogTailDefault : limits::kLogTail));
  if (const auto level = request.queryParameter("level")) {
    const auto* found = std::find(kLevels.begin(), kLevels.end(), *level);
    if (found == kLevels.end()) {
      return http::invalidQuery("level",
                                "Expected debug, info, warn or error, got \"" + *level + "\"");
    }
    query.level = static_cast<LogLevel>(found - kLevels.begin());
  }
  return query;
}

Json toJson(ServerLogPage page) {
  auto lines = Json::array();
  for (auto& line : page.lines) {
    lines.push(std::move(line));
  }
  return Json::object()
      .set("lines", std::move(lines))
      .set("cursor", std::move(page.cursor))
      .set("anew", page.anew);
}

}  // namespace

Status ServerLogRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET", .pattern = "/api/v1/system/log"},
                            [this](const http::ExchangePtr& exchange) { answer(exchange); });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

void ServerLogRoute::answer(const http::ExchangePtr& exchange) {
  auto query = readQuery(exchange->request());
  if (!query) {
    exchange->fail(query.error());
    return;
  }
  const bool queued = workers_.submit([exchange, log = log_, query = std::move(query).value()] {
    exchange->respond({.headers = {{"cache-control", "no-store"}},
                       .body = common::okEnvelope(toJson(log->read(query)))});
  });
  if (!queued) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

}  // namespace svc::metrics
