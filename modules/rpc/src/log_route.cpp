#include "log_route.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/http/query.h"

#include "log_waiters.h"
#include "responses.h"

namespace svc::rpc {
namespace {

Result<LogRequest> readRequest(const http::ExchangePtr& exchange) {
  const auto& request = exchange->request();
  const auto after = http::queryNumber(request, "after", UINT64_MAX);
  const auto tail = http::queryNumber(request, "tail", limits::kLogTail);
  const auto wait =
      http::queryNumber(request, "wait", static_cast<std::uint64_t>(limits::kLogWait.count()));
  for (const auto* number : {&after, &tail, &wait}) {
    if (!*number) {
      return number->error();
    }
  }
  const auto level = request.queryParameter("level").value_or("");
  constexpr std::array<std::string_view, 5> kLevels{"", "debug", "info", "warn", "error"};
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) {
    return http::invalidQuery("level",
                              "Expected debug, info, warn or error, got \"" + level + "\"");
  }
  LogRequest result{
      .exchange = exchange, .plugin_id = std::string(request.parameter("id")), .query = {}};
  // A reader that follows by cursor wants every line since, not the newest few.
  const auto default_tail = after.value() ? limits::kLogTail : limits::kLogTailDefault;
  result.query.tail = static_cast<std::size_t>(tail.value().value_or(default_tail));
  result.lines_wanted = result.query.tail > 0;
  result.query.tail = std::max<std::size_t>(result.query.tail, 1);
  result.query.after = after.value();
  result.query.level = level;
  result.wait = std::chrono::milliseconds(wait.value().value_or(0));
  return result;
}

}  // namespace

LogRoute::LogRoute(plugins::IPluginLogs& logs, http::IReactor& reactor)
    : waiters_(std::make_shared<LogWaiters>(logs, reactor, kMaxWaiters)),
      lines_(logs.onLine([waiters = waiters_](const std::string& plugin_id, std::uint64_t) {
        waiters->lineWritten(plugin_id);
      })) {}

LogRoute::~LogRoute() = default;

Status LogRoute::attach(http::IHttpServer& server) {
  auto route = server.route({.method = "GET", .pattern = "/api/v1/plugins/:id/logs"},
                            [waiters = waiters_](const http::ExchangePtr& exchange) {
                              auto request = readRequest(exchange);
                              if (!request) {
                                exchange->fail(request.error());
                                return;
                              }
                              waiters->start(std::move(request).value());
                            });
  if (!route) {
    return std::move(route).error();
  }
  route_ = std::move(route).value();
  return {};
}

}  // namespace svc::rpc
