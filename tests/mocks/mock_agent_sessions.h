#pragma once

#include <gmock/gmock.h>

#include "svc/providers/agent_sessions.h"

namespace svc::providers {

class MockAgentSessions : public IAgentSessions {
 public:
  MOCK_METHOD(Result<std::string>, choose, (const std::string& provider_id), (const, override));
  MOCK_METHOD(void, open, (SessionRequest request, Completion<OpenSession> done), (override));
  MOCK_METHOD(void, set,
              (const std::string& session, common::Json execution, agents::AgentContext context,
               Completion<void> done),
              (override));
  MOCK_METHOD(void, prompt,
              (const std::string& session, const std::string& turn_id,
               const std::string& request_id, common::Json input, Completion<void> done),
              (override));
  MOCK_METHOD(void, cancel, (const std::string& session, Completion<void> done), (override));
  MOCK_METHOD(void, granted,
              (const std::string& session, Completion<std::vector<std::string>> done), (override));
  MOCK_METHOD(void, answer,
              (const std::string& session, const std::string& question_id, common::Json answer,
               Completion<void> done),
              (override));
  MOCK_METHOD(void, close, (const std::string& session, Completion<void> done), (override));
  MOCK_METHOD(Handle, onEvent, (EventListener listener), (override));
};

}  // namespace svc::providers
