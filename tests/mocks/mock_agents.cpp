#include "mocks/mock_agents.h"

namespace svc::agents {

MockAgentTools::MockAgentTools() = default;
MockAgentTools::~MockAgentTools() = default;

MockPluginEvents::MockPluginEvents() = default;
MockPluginEvents::~MockPluginEvents() = default;

MockDispatchHooks::MockDispatchHooks() = default;
MockDispatchHooks::~MockDispatchHooks() = default;

MockMentionProviders::MockMentionProviders() = default;
MockMentionProviders::~MockMentionProviders() = default;

}  // namespace svc::agents
