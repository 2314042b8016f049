#include "inventory_routes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/body_reader.h"

#include "dev_problems.h"
#include "responses.h"

namespace svc::rpc {
namespace {

using common::BodyReader;
using common::Json;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json toJson(const plugins::SourceDetail& detail) {
  auto history = Json::array();
  for (const auto& each : detail.history) {
    history.push(Json::object()
                     .set("version", each.version)
                     .set("resolved", each.resolved)
                     .set("at", each.at));
  }
  auto out = Json::object();
  out.set("requested", detail.requested)
      .set("resolved", detail.resolved)
      .set("engines", Json::object()
                          .set("svc", orNull(detail.engine_service))
                          .set("svcPluginSdk", orNull(detail.engine_sdk)))
      .set("installedAt", detail.installed_at)
      .set("history", std::move(history));
  const std::array<std::pair<const char*, const std::string*>, 6> managed{
      {{"subdirectory", &detail.subdirectory},
       {"range", &detail.range},
       {"tagPrefix", &detail.tag_prefix},
       {"resolvedTag", &detail.resolved_tag},
       {"integrity", &detail.integrity},
       {"registry", &detail.registry}}};
  for (const auto& [key, value] : managed) {
    if (!value->empty()) {
      out.set(key, *value);
    }
  }
  return out;
}

constexpr std::array<std::string_view, 3> kReportLevels{"error", "warn", "info"};
constexpr std::array<std::string_view, 6> kReportPhases{"load",   "setup",   "mount",
                                                        "render", "dispose", "loaded"};

struct AppReport {
  /// For the plugin's log.
  plugins::LogLine line;
  std::string hash;
  /// Why the bundle shows nothing in that window; empty when that is not what is reported.
  std::string failure;
  /// The bundle is in use in that window.
  bool loaded = false;
};

/// A failure of one window, what it put up with, or that it has loaded the bundle.
Result<AppReport> readReport(const std::string& text) {
  auto parsed = BodyReader::parse(text);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& body = parsed.value();
  const auto message = body.requiredString("message");
  const auto phase = body.requiredString("phase");
  if (!phase.empty() && std::ranges::find(kReportPhases, phase) == kReportPhases.end()) {
    body.issue(fmt::format("Expected one of {}", fmt::join(kReportPhases, ", ")), {Json("phase")});
  }
  const auto hash = body.optionalString("hash").value_or("");
  const auto slot = body.optionalString("slot").value_or("");
  plugins::LogLine line{.level = "error", .source = "app", .message = {}, .stack = {}};
  line.stack = body.optionalString("stack").value_or("");
  line.level = body.optionalString("level").value_or(line.level);
  if (std::ranges::find(kReportLevels, line.level) == kReportLevels.end()) {
    body.issue(R"(Expected "error", "warn" or "info")", {Json("level")});
  }
  const auto& generation = body.body()["generation"];
  if (!generation.isNull() && (!generation.isInteger() || generation.asInteger() < 0)) {
    body.issue("Expected a whole number", {Json("generation")});
  }
  if (auto status = body.finish(); !status) {
    return std::move(status).error();
  }
  line.generation = static_cast<std::uint64_t>(generation.asInteger());
  line.message = fmt::format("{}{}: {}{}", phase, slot.empty() ? "" : " of " + slot, message,
                             hash.empty() ? "" : " (bundle " + hash + ")");
  const bool shows_nothing = line.level == "error" && (phase == "load" || phase == "setup");
  return AppReport{std::move(line), hash, shows_nothing ? message : "", phase == "loaded"};
}

constexpr std::string_view kUiFailed = "ui_failed";

/// The record says that a window could not use the loaded bundle, in the words of the first one, until a window could: what
/// fails in one window need not fail in others, nor the next time.
void noteOutcome(const plugins::ILoadedPlugins& loaded, const plugins::PluginRecord& record,
                 const AppReport& report) {
  const bool known = std::ranges::any_of(
      record.problems, [](const auto& problem) { return problem.code == kUiFailed; });
  const bool news = report.loaded ? known : !report.failure.empty() && !known;
  if (!news || !record.app || record.app->hash != report.hash) {
    return;
  }
  for (const auto& generation : loaded.all()) {
    if (generation->pluginId() != record.id) {
      continue;
    }
    if (report.loaded) {
      generation->removeProblem(kUiFailed);
    } else {
      const auto first_line = report.failure.substr(0, report.failure.find('\n'));
      generation->addProblem({std::string(kUiFailed), "UI failed in a window: " + first_line});
    }
  }
}

/// 200 without members, or the failure of that plugin.
Completion<void> answerEmpty(http::ExchangePtr exchange, std::string plugin_id) {
  return [exchange = std::move(exchange), plugin_id = std::move(plugin_id)](Status status) {
    if (!status) {
      failFor(*exchange, plugin_id, std::move(status).error());
      return;
    }
    respondOk(*exchange, Json::object());
  };
}

}  // namespace

Status InventoryRoutes::attach(http::IHttpServer& server) {
  struct Entry {
    const char* method;
    const char* pattern;
    void (InventoryRoutes::*handler)(const http::ExchangePtr&);
  };
  const std::vector<Entry> table{
      {"GET", "/api/v1/plugins/:id/source", &InventoryRoutes::source},
      {"PUT", "/api/v1/plugins/:id/dev-problems", &InventoryRoutes::devProblems},
      {"POST", "/api/v1/plugins/:id/app-report", &InventoryRoutes::appReport},
  };
  for (const auto& entry : table) {
    auto route = server.route({.method = entry.method, .pattern = entry.pattern},
                              [this, handler = entry.handler](const http::ExchangePtr& exchange) {
                                (this->*handler)(exchange);
                              });
    if (!route) {
      return std::move(route).error();
    }
    routes_.push_back(std::move(route).value());
  }
  return {};
}

void InventoryRoutes::source(const http::ExchangePtr& exchange) {
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.source(plugin_id, [exchange, plugin_id](Result<plugins::SourceDetail> detail) {
    if (!detail) {
      failFor(*exchange, plugin_id, std::move(detail).error());
      return;
    }
    respondOk(*exchange, Json::object().set("source", toJson(detail.value())));
  });
}

void InventoryRoutes::devProblems(const http::ExchangePtr& exchange) {
  auto problems = readDevProblems(exchange->request().body);
  if (!problems) {
    exchange->fail(problems.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  manager_.setDevProblems(plugin_id, std::move(problems).value(), answerEmpty(exchange, plugin_id));
}

void InventoryRoutes::appReport(const http::ExchangePtr& exchange) {
  auto report = readReport(exchange->request().body);
  if (!report) {
    exchange->fail(report.error());
    return;
  }
  const std::string plugin_id(exchange->request().parameter("id"));
  auto answer = answerEmpty(exchange, plugin_id);
  manager_.get(plugin_id,
               [&logs = logs_, &loaded = loaded_, plugin_id, report = std::move(report).value(),
                answer = std::move(answer)](Result<plugins::PluginRecord> record) mutable {
                 if (!record) {
                   answer(std::move(record).error());
                   return;
                 }
                 logs.append(plugin_id, report.line);
                 noteOutcome(loaded, record.value(), report);
                 answer({});
               });
}

}  // namespace svc::rpc
