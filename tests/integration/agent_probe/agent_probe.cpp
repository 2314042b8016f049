// A module only the tests load: what modules for agents and threads will ask of IAgentTools and its neighbours, over HTTP.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

#include "svc/agents/agent_tools.h"
#include "svc/agents/dispatch_hooks.h"
#include "svc/agents/mention_providers.h"
#include "svc/agents/plugin_events.h"
#include "svc/http/http.h"
#include "svc/kernel/module.h"

namespace {

using namespace svc;
using common::Json;

void respond(const http::ExchangePtr& exchange, const Json& members) {
  http::Response response;
  response.body = common::okEnvelope(members);
  exchange->respond(std::move(response));
}

class AgentProbe final : public Module {
 public:
  Status start(ModuleContext& context) override {
    main_ = &context.main;
    tools_ = context.services.optional<agents::IAgentTools>();
    hooks_ = context.services.optional<agents::IDispatchHooks>();
    events_ = context.services.optional<agents::IPluginEvents>();
    mentions_ = context.services.optional<agents::IMentionProviders>();
    auto server = context.services.require<http::IHttpServer>();
    if (!server || tools_ == nullptr || hooks_ == nullptr || events_ == nullptr ||
        mentions_ == nullptr) {
      return Error{errc::kUnavailable, "the module agents is missing"};
    }
    recheck_ = hooks_->onRecheck([this](const std::string& plugin_id) { rechecked_ = plugin_id; });
    auto route = server.value()->route({.method = "POST", .pattern = "/test/agents/:action"},
                                       [this](const http::ExchangePtr& exchange) {
                                         main_->post([this, exchange] { act(exchange); });
                                       });
    if (!route) {
      return std::move(route).error();
    }
    route_ = std::move(route).value();
    return {};
  }

  void stop() override {
    route_.reset();
    session_.reset();
    recheck_.reset();
  }

 private:
  void act(const http::ExchangePtr& exchange) {
    const std::string action(exchange->request().parameter("action"));
    const auto parsed = Json::parse(exchange->request().body);
    const auto body = parsed ? parsed.value() : Json();
    if (action == "list") {
      list(exchange);
    } else if (action == "call") {
      call(exchange, body);
    } else if (action == "open") {
      open(exchange, body);
    } else if (action == "emit") {
      events_->emit(body["name"].asString(), common::RawJson(body["payload"].dump()));
      respond(exchange, Json::object());
    } else if (action == "decide") {
      hooks_->decide(common::RawJson(body.dump()),
                     [exchange](Result<agents::DispatchDecision> decision) {
                       respond(exchange, Json::object()
                                             .set("kind", static_cast<int>(decision.value().kind))
                                             .set("text", decision.value().text));
                     });
    } else if (action == "resolve") {
      resolve(exchange, body);
    } else {
      respond(exchange, Json::object().set("rechecked", rechecked_));
    }
  }

  void list(const http::ExchangePtr& exchange) {
    auto names = Json::array();
    for (const auto& tool : tools_->list()) {
      names.push(tool.plugin_id + ":" + tool.name);
    }
    respond(exchange, Json::object().set("tools", std::move(names)));
  }

  void call(const http::ExchangePtr& exchange, const Json& body) {
    auto arguments = common::RawJson(body["arguments"].dump());
    auto done = [exchange](Result<agents::ToolResult> result) {
      respond(exchange, Json::object()
                            .set("content", Json::raw(result.value().content))
                            .set("isError", result.value().is_error));
    };
    if (body["session"].asBool()) {
      session_->call(body["name"].asString(), std::move(arguments), {}, exchange->disconnected(),
                     std::move(done));
      return;
    }
    tools_->call(body["name"].asString(), std::move(arguments),
                 {.thread_id = body["threadId"].asString(), .project_id = ""},
                 exchange->disconnected(), std::move(done));
  }

  /// Opens a session for a thread and keeps it; `call` with "session" uses it.
  void open(const http::ExchangePtr& exchange, const Json& body) {
    agents::SessionRequest request;
    request.context.thread.id = body["threadId"].asString();
    request.context.project.id = body["projectId"].asString();
    request.service_instructions = body["service"].asString();
    tools_->open(std::move(request), [this, exchange](Result<agents::ToolSessionPtr> session) {
      session_ = std::move(session).value();
      auto tools = Json::array();
      for (const auto& tool : session_->tools()) {
        tools.push(tool.plugin_id + ":" + tool.name);
      }
      auto skills = Json::array();
      for (const auto& [plugin_id, names] : session_->skills()) {
        for (const auto& name : names) {
          skills.push(plugin_id + ":" + name);
        }
      }
      respond(exchange, Json::object()
                            .set("tools", std::move(tools))
                            .set("skills", std::move(skills))
                            .set("instructions", session_->instructions()));
    });
  }

  void resolve(const http::ExchangePtr& exchange, const Json& body) {
    mentions_->resolve(body["pluginId"].asString(), body["providerId"].asString(),
                       body["itemId"].asString(), [exchange](Result<common::RawJson> resolved) {
                         if (!resolved) {
                           exchange->fail(resolved.error());
                           return;
                         }
                         respond(exchange,
                                 Json::object().set("resolved", Json::raw(resolved.value())));
                       });
  }

  IMainExecutor* main_ = nullptr;
  agents::IAgentTools* tools_ = nullptr;
  agents::IDispatchHooks* hooks_ = nullptr;
  agents::IPluginEvents* events_ = nullptr;
  agents::IMentionProviders* mentions_ = nullptr;
  agents::ToolSessionPtr session_;
  std::string rechecked_;
  Handle recheck_;
  Handle route_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(agents::IAgentTools::kId),
    Requirement(agents::IDispatchHooks::kId), Requirement(agents::IMentionProviders::kId),
    Requirement(agents::IPluginEvents::kId)};

}  // namespace

SVC_MODULE(AgentProbe, "agentprobe", "1.0.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
