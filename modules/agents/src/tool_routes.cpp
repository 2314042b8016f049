#include "tool_routes.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/envelope.h"
#include "svc/common/error_details.h"
#include "svc/common/limits/http.h"

#include "tool_request.h"

namespace svc::agents {
namespace {

using common::Json;

Json toolJson(const KnownTool& known, const std::vector<ToolStats>& stats) {
  const auto& tool = known.tool;
  const auto counted = std::find_if(stats.begin(), stats.end(), [&tool](const ToolStats& each) {
    return each.plugin_id == tool.plugin_id && each.name == tool.name;
  });
  const auto counts = counted == stats.end() ? ToolStats{} : *counted;
  return Json::object()
      .set("pluginId", tool.plugin_id)
      .set("name", tool.name)
      .set("description", tool.description)
      .set("inputSchema", tool.input_schema)
      .set("instructions", tool.instructions.empty() ? Json() : Json(tool.instructions))
      .set("presentation", tool.presentation)
      .set("offered", known.holder == tool.plugin_id)
      .set("holder", known.holder)
      .set("calls", counts.calls)
      .set("errors", counts.errors)
      .set("totalMs", counts.total_ms);
}

bool hasTool(const plugins::IGeneration& generation, std::string_view name) {
  const auto registered = generation.registration("agent-tools");
  const auto& tools = registered.items();
  return std::any_of(tools.begin(), tools.end(),
                     [name](const Json& tool) { return tool["name"].asString() == name; });
}

}  // namespace

Status ToolRoutes::attach(http::IHttpServer& server) {
  const auto add = [this, &server](http::Route route, http::Handler handler) -> Status {
    auto added = server.route(std::move(route), std::move(handler));
    if (!added) {
      return std::move(added).error();
    }
    routes_.push_back(std::move(added).value());
    return {};
  };
  if (auto status = add({.method = "GET", .pattern = "/api/v1/agent-tools"},
                        [this](const http::ExchangePtr& exchange) { list(exchange, ""); });
      !status) {
    return status;
  }
  if (auto status = add({.method = "GET", .pattern = "/api/v1/plugins/:id/tools"},
                        [this](const http::ExchangePtr& exchange) { listOne(exchange); });
      !status) {
    return status;
  }
  return add({.method = "POST",
              .pattern = "/api/v1/plugins/:id/tools/:name",
              .body_limit = limits::kRpcBody,
              .plugin_parameter = "id"},
             [this](const http::ExchangePtr& exchange) { call(exchange); });
}

void ToolRoutes::list(const http::ExchangePtr& exchange, std::string plugin_id) const {
  main_.post([exchange, plugin_id = std::move(plugin_id), weak = std::weak_ptr(tools_)] {
    const auto tools = weak.lock();
    if (!tools) {
      return;
    }
    const auto stats = tools->calls()->meters().stats();
    auto out = Json::array();
    for (const auto& known : tools->known()) {
      if (plugin_id.empty() || known.tool.plugin_id == plugin_id) {
        out.push(toolJson(known, stats));
      }
    }
    exchange->respond({.body = common::okEnvelope(Json::object().set("tools", std::move(out)))});
  });
}

void ToolRoutes::listOne(const http::ExchangePtr& exchange) const {
  std::string plugin_id(exchange->request().parameter("id"));
  loaded_.acquire(plugin_id, [this, exchange, plugin_id](Result<plugins::GenerationPtr> found) {
    if (!found) {
      exchange->fail(common::withDetail(std::move(found).error(), "pluginId", plugin_id));
      return;
    }
    list(exchange, plugin_id);
  });
}

void ToolRoutes::call(const http::ExchangePtr& exchange) const {
  const std::string plugin_id(exchange->request().parameter("id"));
  loaded_.acquire(plugin_id, [exchange, plugin_id, &reactor = reactor_, &clock = clock_,
                              pages = pages_,
                              weak = std::weak_ptr(tools_)](Result<plugins::GenerationPtr> found) {
    const auto name = exchange->request().parameter("name");
    if (found && !hasTool(*found.value(), name)) {
      found =
          Error{errc::kNotFound, fmt::format("plugin \"{}\" has no tool \"{}\"", plugin_id, name)};
    }
    if (!found) {
      exchange->fail(common::withDetail(std::move(found).error(), "pluginId", plugin_id));
      return;
    }
    // A lookup that waited for a reload ends on the main thread.
    reactor.post([exchange, &reactor, &clock, pages, weak] {
      if (const auto tools = weak.lock()) {
        std::make_shared<ToolRequest>(exchange, reactor, clock, pages->page())->start(*tools);
      }
    });
  });
}

}  // namespace svc::agents
