#include "system_routes.h"

#include <algorithm>
#include <utility>

#include "svc/common/codes.h"
#include "svc/kernel/async.h"

#include "responses.h"

namespace svc::updates {
namespace {

using common::Json;

struct Order {
  std::string file;
  bool overwrite = false;
};

Result<Order> readOrder(const http::Request& request) {
  auto body = readBody(request);
  if (!body) {
    return std::move(body).error();
  }
  auto& reader = body.value();
  Order order{reader.requiredString("file"), reader.body()["overwrite"].asBool()};
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return order;
}

/// As text: a name that is no UTF-8 is shown with a mark for what is not readable.
std::string shown(std::string name) {
  if (!common::isUtf8(name)) {
    std::ranges::replace_if(
        name, [](char c) { return static_cast<unsigned char>(c) >= 0x80U; }, '?');
  }
  return name;
}

Json infoJson(const BackupInfo& info) {
  auto plugins = Json::array();
  for (const auto& id : info.plugins) {
    plugins.push(id);
  }
  auto left_out = Json::array();
  for (const auto& each : info.left_out) {
    left_out.push(Json::object().set("path", shown(each.path)).set("reason", each.reason));
  }
  return Json::object()
      .set("file", info.file.string())
      .set("bytes", info.bytes)
      .set("createdAt", info.created_at)
      .set("version", info.version)
      .set("files", static_cast<std::int64_t>(info.files))
      .set("plugins", std::move(plugins))
      .set("leftOut", std::move(left_out));
}

}  // namespace

Status SystemRoutes::attach(http::IHttpServer& server) {
  return addRoutes(
      server, routes_,
      {{"POST", "/api/v1/system/backup",
        [state = state_](const http::ExchangePtr& exchange) { write(state, exchange); }},
       {"POST", "/api/v1/system/restore",
        [state = state_](const http::ExchangePtr& exchange) { restore(state, exchange); }}});
}

void SystemRoutes::work(const StatePtr& state, const http::ExchangePtr& exchange,
                        std::function<Result<BackupInfo>()> job,
                        std::function<void(const BackupInfo& info)> answer) {
  state->threads.main.post(
      [state, exchange, job = std::move(job), answer = std::move(answer)]() mutable {
        auto& activity = *state->activity;
        if (activity.update || activity.backup) {
          exchange->fail({errc::kConflict,
                          activity.update
                              ? "a plugin is being updated; try again when that has ended"
                              : "a backup or restore is running; try again when it has ended"});
          return;
        }
        activity.backup = true;
        runOnWorker<BackupInfo>(
            state->threads.workers, state->threads.main, std::move(job),
            [state, exchange, answer = std::move(answer)](const Result<BackupInfo>& info) {
              state->activity->backup = false;
              if (info) {
                answer(info.value());
              } else {
                exchange->fail(info.error());
              }
            });
      });
}

void SystemRoutes::write(const StatePtr& state, const http::ExchangePtr& exchange) {
  const auto order = readOrder(exchange->request());
  if (!order) {
    exchange->fail(order.error());
    return;
  }
  work(
      state, exchange,
      [backup = state->backup, order = order.value(), gone = exchange->disconnected()] {
        return backup->write(order.file, order.overwrite, gone);
      },
      [exchange](const BackupInfo& info) {
        respondOk(*exchange, Json::object().set("backup", infoJson(info)));
      });
}

void SystemRoutes::restore(const StatePtr& state, const http::ExchangePtr& exchange) {
  const auto order = readOrder(exchange->request());
  if (!order) {
    exchange->fail(order.error());
    return;
  }
  work(
      state, exchange,
      [backup = state->backup, order = order.value(), gone = exchange->disconnected()] {
        return backup->prepareRestore(order.file, gone);
      },
      [state, exchange](const BackupInfo& info) {
        auto out = infoJson(info);
        out.set("replaced", state->backup->replaced().string());
        respondOk(*exchange, Json::object().set("restore", std::move(out)), 202);
        // Nothing is taken any more that the restored data would not have.
        state->activity->backup = true;
        state->restart();
      });
}

}  // namespace svc::updates
