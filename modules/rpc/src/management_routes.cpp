#include "management_routes.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/http/query.h"

#include "responses.h"

namespace svc::rpc {
namespace {

using common::Json;

Json recordsJson(const std::vector<plugins::PluginRecord>& records) {
  auto array = Json::array();
  for (const auto& record : records) {
    array.push(toJson(record));
  }
  return array;
}

Json listJson(const std::vector<std::string>& texts) {
  auto array = Json::array();
  for (const auto& text : texts) {
    array.push(text);
  }
  return array;
}

/// Answers with one record under "plugin", or with the failure of that plugin.
Completion<plugins::PluginRecord> answerRecord(http::ExchangePtr exchange, std::string plugin_id) {
  return [exchange = std::move(exchange),
          plugin_id = std::move(plugin_id)](Result<plugins::PluginRecord> record) {
    if (!record) {
      failFor(*exchange, plugin_id, std::move(record).error());
      return;
    }
    respondOk(*exchange, Json::object().set("plugin", toJson(record.value())));
  };
}

/// These routes take no body members; one that is sent must still be JSON.
Status checkBody(const http::Request& request) {
  if (request.body.empty()) {
    return {};
  }
  auto body = common::BodyReader::parse(request.body);
  return body ? body.value().finish() : Status(std::move(body).error());
}

Error loadFailure(const std::vector<plugins::ReloadOutcome>& outcomes) {
  std::vector<plugins::PluginRecord> records;
  std::string message;
  std::size_t failed = 0;
  for (const auto& outcome : outcomes) {
    records.push_back(outcome.record);
    if (outcome.failure) {
      ++failed;
      message +=
          (message.empty() ? "" : "; ") + outcome.record.id + ": " + outcome.failure->message;
    }
  }
  if (outcomes.size() == 1) {
    message = outcomes.front().failure->message;
  } else {
    message = fmt::format("{} of {} plugins did not load: {}", failed, outcomes.size(), message);
  }
  return {errc::kLoadFailed, std::move(message),
          Json::object().set("plugins", recordsJson(records)).dump()};
}

void answerReload(http::IExchange& exchange, const std::vector<plugins::ReloadOutcome>& outcomes) {
  std::vector<plugins::PluginRecord> records;
  for (const auto& outcome : outcomes) {
    if (outcome.failure) {
      exchange.fail(loadFailure(outcomes));
      return;
    }
    records.push_back(outcome.record);
  }
  respondOk(exchange, Json::object().set("plugins", recordsJson(records)));
}

}  // namespace

Status ManagementRoutes::attach(http::IHttpServer& server) {
  const auto bind = [this](void (ManagementRoutes::*member)(const http::ExchangePtr&)) {
    return [this, member](const http::ExchangePtr& exchange) { (this->*member)(exchange); };
  };
  const auto enable = [this](bool enabled) {
    return [this, enabled](const http::ExchangePtr& exchange) { setEnabled(exchange, enabled); };
  };
  struct Entry {
    const char* method;
    const char* pattern;
    http::Handler handler;
  };
  Entry table[] = {
      {"GET", "/api/v1/plugins", bind(&ManagementRoutes::list)},
      {"GET", "/api/v1/plugins/:id", bind(&ManagementRoutes::get)},
      {"GET", "/api/v1/plugins/:id/overview", bind(&ManagementRoutes::overview)},
      {"POST", "/api/v1/plugins/install/check", bind(&ManagementRoutes::inspect)},
      {"POST", "/api/v1/plugins/reload", bind(&ManagementRoutes::reload)},
      {"POST", "/api/v1/plugins/:id/enable", enable(true)},
      {"POST", "/api/v1/plugins/:id/disable", enable(false)},
      {"DELETE", "/api/v1/plugins/:id", bind(&ManagementRoutes::remove)},
  };
  for (auto& entry : table) {
    if (auto status = add(server, entry.method, entry.pattern, std::move(entry.handler)); !status) {
      return status;
    }
  }
  return {};
}

Status ManagementRoutes::add(http::IHttpServer& server, std::string method, std::string pattern,
                             http::Handler handler) {
  auto route = server.route({.method = std::move(method), .pattern = std::move(pattern)},
                            std::move(handler));
  if (!route) {
    return std::move(route).error();
  }
  routes_.push_back(std::move(route).value());
  return {};
}

void ManagementRoutes::inspect(const http::ExchangePtr& exchange) {
  auto body = common::BodyReader::parse(exchange->request().body);
  if (!body) {
    exchange->fail(body.error());
    return;
  }
  body.value().rejectUnknown({"source"});
  auto source = body.value().requiredString("source");
  if (auto status = body.value().finish(); !status) {
    exchange->fail(status.error());
    return;
  }
  manager_.inspect(std::move(source), [exchange](Result<plugins::Inspection> found) {
    if (!found) {
      exchange->fail(found.error());
      return;
    }
    const auto& inspection = found.value();
    respondOk(*exchange, Json::object()
                             .set("id", inspection.id.empty() ? Json() : Json(inspection.id))
                             .set("problems", listJson(inspection.problems))
                             .set("warnings", listJson(inspection.warnings)));
  });
}

void ManagementRoutes::list(const http::ExchangePtr& exchange) {
  manager_.list([exchange](Result<std::vector<plugins::PluginRecord>> records) {
    if (!records) {
      exchange->fail(records.error());
      return;
    }
    respondOk(*exchange, Json::object().set("plugins", recordsJson(records.value())));
  });
}

void ManagementRoutes::get(const http::ExchangePtr& exchange) {
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.get(plugin_id, [exchange, plugin_id](Result<plugins::PluginRecord> record) {
    if (!record) {
      failFor(*exchange, plugin_id, std::move(record).error());
      return;
    }
    const auto& overview = record.value().overview;
    auto shown = toJson(record.value());
    shown.set("overview", overview.empty() ? Json() : Json(overview));
    respondOk(*exchange, Json::object().set("plugin", std::move(shown)));
  });
}

void ManagementRoutes::overview(const http::ExchangePtr& exchange) {
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.get(plugin_id, [exchange, plugin_id](Result<plugins::PluginRecord> record) {
    if (!record) {
      failFor(*exchange, plugin_id, std::move(record).error());
      return;
    }
    const auto& overview = record.value().overview;
    respondOk(*exchange,
              Json::object().set("overview", overview.empty() ? Json() : Json(overview)));
  });
}

void ManagementRoutes::setEnabled(const http::ExchangePtr& exchange, bool enabled) {
  if (auto status = checkBody(exchange->request()); !status) {
    exchange->fail(status.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.setEnabled(plugin_id, enabled, answerRecord(exchange, plugin_id));
}

void ManagementRoutes::reload(const http::ExchangePtr& exchange) {
  if (auto status = checkBody(exchange->request()); !status) {
    exchange->fail(status.error());
    return;
  }
  const auto plugin_id = exchange->request().queryParameter("id");
  if (plugin_id && plugin_id->empty()) {
    exchange->fail(
        http::invalidQuery("id", "Expected a plugin id; leave it out to reload every plugin"));
    return;
  }
  manager_.reload(
      plugin_id.value_or(""),
      [exchange, plugin_id](Result<std::vector<plugins::ReloadOutcome>> outcomes) {
        if (!outcomes) {
          exchange->fail(plugin_id ? common::withDetail(outcomes.error(), "pluginId", *plugin_id)
                                   : outcomes.error());
          return;
        }
        answerReload(*exchange, outcomes.value());
      });
}

void ManagementRoutes::remove(const http::ExchangePtr& exchange) {
  const auto purge = exchange->request().queryParameter("purge").value_or("false");
  if (purge != "true" && purge != "false") {
    exchange->fail(http::invalidQuery("purge", "Expected true or false"));
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.remove(
      plugin_id, purge == "true", [exchange, plugin_id](Result<std::vector<std::string>> kept) {
        if (!kept) {
          failFor(*exchange, plugin_id, std::move(kept).error());
          return;
        }
        auto list = Json::array();
        for (const auto& item : kept.value()) {
          list.push(item);
        }
        respondOk(*exchange, Json::object().set("removed", plugin_id).set("kept", std::move(list)));
      });
}

}  // namespace svc::rpc
