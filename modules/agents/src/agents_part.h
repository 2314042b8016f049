#pragma once

#include <functional>
#include <memory>
#include <string>

#include "svc/plugins/plugins.h"

#include "counterparts.h"
#include "event_handlers.h"
#include "provider_check.h"
#include "thread_forms.h"
#include "tool_calls.h"

namespace svc::agents {

/// The script of `svc.agents`, `ui`, `events`, `experimental_hooks`, `hosts`, `providers` and the registries that are only
/// accepted. Progress of tools and their forms go to `calls`, forms in threads to `thread_forms`, handlers of events to `event_handlers`, `counterparts` knows what nobody acts on; `recheck` is called on the script thread
/// with the plugin's id, `tools_changed` there when a plugin has registered a tool.
[[nodiscard]] plugins::ApiPart agentsPart(std::shared_ptr<const ProviderCheck> providers,
                                          std::shared_ptr<ToolCalls> calls,
                                          std::shared_ptr<const Counterparts> counterparts,
                                          std::shared_ptr<ThreadForms> thread_forms,
                                          std::shared_ptr<EventHandlers> event_handlers,
                                          std::function<void(const std::string& plugin_id)> recheck,
                                          std::function<void()> tools_changed);

}  // namespace svc::agents
