#pragma once

#include <gmock/gmock.h>

#include "svc/agents/agent_tools.h"
#include "svc/agents/dispatch_hooks.h"
#include "svc/agents/mention_providers.h"
#include "svc/agents/plugin_events.h"

namespace svc::agents {

class MockAgentTools : public IAgentTools {
 public:
  MockAgentTools();
  ~MockAgentTools() override;

  MOCK_METHOD(std::vector<AgentTool>, list, (), (override));
  MOCK_METHOD(void, call,
              (std::string name, common::RawJson arguments, ToolContext context,
               std::stop_token stop, Completion<ToolResult> done),
              (override));
  MOCK_METHOD(void, callOf,
              (std::string plugin_id, std::string name, common::RawJson arguments,
               ToolContext context, std::stop_token stop, Completion<ToolResult> done),
              (override));
  MOCK_METHOD(void, open, (SessionRequest request, Completion<ToolSessionPtr> done), (override));
  MOCK_METHOD(common::Json, presentationOf, (const std::string& name), (const, override));
  MOCK_METHOD(Handle, onChanged, (std::function<void()> listener), (override));
};

class MockPluginEvents : public IPluginEvents {
 public:
  MockPluginEvents();
  ~MockPluginEvents() override;

  MOCK_METHOD(void, emit, (std::string_view name, const common::RawJson& payload), (override));
};

class MockDispatchHooks : public IDispatchHooks {
 public:
  MockDispatchHooks();
  ~MockDispatchHooks() override;

  MOCK_METHOD(void, decide, (common::RawJson context, Completion<DispatchDecision> done),
              (override));
  MOCK_METHOD(Handle, onRecheck, (std::function<void(const std::string& plugin_id)> listener),
              (override));
};

class MockMentionProviders : public IMentionProviders {
 public:
  MockMentionProviders();
  ~MockMentionProviders() override;

  MOCK_METHOD(void, search, (const MentionQuery& query, Completion<common::RawJson> done),
              (override));
  MOCK_METHOD(void, resolve,
              (const std::string& plugin_id, const std::string& provider_id,
               const std::string& item_id, Completion<common::RawJson> done),
              (override));
};

}  // namespace svc::agents
