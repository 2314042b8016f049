#include "agents_part.h"

#include <utility>

#include "agents_scripts.h"

namespace svc::agents {

namespace {

ThreadForms::Caller callerOf(const std::weak_ptr<plugins::IGeneration>& weak) {
  const auto generation = weak.lock();
  return generation ? ThreadForms::Caller{generation->pluginId(), generation->loadId()}
                    : ThreadForms::Caller{};
}

EventHandlers::Load loadOf(const std::weak_ptr<plugins::IGeneration>& weak) {
  auto caller = callerOf(weak);
  return {std::move(caller.plugin_id), caller.load_id};
}

/// A handler as the script tells of it: its event and its id.
std::pair<std::string, std::int64_t> handlerOf(const std::string& text) {
  const auto parsed = common::Json::parse(text);
  return parsed ? std::pair(parsed.value()["event"].asString(), parsed.value()["id"].asInteger())
                : std::pair<std::string, std::int64_t>();
}

}  // namespace

plugins::ApiPart agentsPart(std::shared_ptr<const ProviderCheck> providers,
                            std::shared_ptr<ToolCalls> calls,
                            std::shared_ptr<const Counterparts> counterparts,
                            std::shared_ptr<ThreadForms> thread_forms,
                            std::shared_ptr<EventHandlers> event_handlers,
                            std::function<void(const std::string& plugin_id)> recheck,
                            std::function<void()> tools_changed) {
  return {
      .name = "agents",
      .script = scripts::kAgents,
      .functions = [providers = std::move(providers), calls = std::move(calls),
                    counterparts = std::move(counterparts), forms = std::move(thread_forms),
                    events = std::move(event_handlers), recheck = std::move(recheck),
                    tools_changed =
                        std::move(tools_changed)](const std::weak_ptr<plugins::IGeneration>& weak) {
        const auto load = loadOf(weak);
        const auto kept = std::make_shared<Handle>(events->keep(load));
        return script::hostFunctions({
            {.name = "providers.refusal",
             .sync =
                 [providers, weak](const std::string& provider_id) {
                   const auto generation = weak.lock();
                   return Result<std::string>(
                       generation ? providers->refusal(*generation, provider_id) : std::string());
                 }},
            {.name = "agents.isServed",
             .sync =
                 [counterparts](const std::string& member) {
                   return Result<std::string>(counterparts->isServed(member) ? "yes" : "no");
                 }},
            {.name = "tools.progress",
             .sync =
                 [calls](const std::string& report) {
                   if (const auto parsed = common::Json::parse(report)) {
                     calls->listeners().tell(parsed.value());
                   }
                   return Result<std::string>(std::string());
                 }},
            {.name = "tools.changed",
             .sync =
                 [tools_changed](const std::string&) {
                   tools_changed();
                   return Result<std::string>(std::string());
                 }},
            {.name = "ui.requestInput",
             .async =
                 [calls, weak](const std::string& request, Completion<std::string> done) {
                   const auto generation = weak.lock();
                   calls->forms().ask(generation ? generation->pluginId() : std::string(), request,
                                      std::move(done));
                 }},
            {.name = "ui.hasThreads",
             .sync =
                 [forms](const std::string&) {
                   return Result<std::string>(forms->isServed() ? "yes" : "no");
                 }},
            {.name = "ui.requestThreadInput",
             .async =
                 [calls, forms, weak](const std::string& request, Completion<std::string> done) {
                   const auto caller = callerOf(weak);
                   forms->ask(caller, request, calls->forms().openedOf(caller.plugin_id, request),
                              std::move(done));
                 }},
            {.name = "ui.cancelThreadInput",
             .sync =
                 [forms, weak](const std::string& number) {
                   forms->cancel(callerOf(weak), number);
                   return Result<std::string>(std::string());
                 }},
            {.name = "ui.describeThreadInput",
             .sync =
                 [forms, weak](const std::string& description) {
                   forms->describe(callerOf(weak), description);
                   return Result<std::string>(std::string());
                 }},
            {.name = "events.on",
             .sync =
                 [events, load, kept](const std::string& text) {
                   const auto [event, id] = handlerOf(text);
                   events->add(load, event, id);
                   return Result<std::string>(std::string());
                 }},
            {.name = "events.off",
             .sync =
                 [events, load, kept](const std::string& text) {
                   const auto [event, id] = handlerOf(text);
                   events->remove(load, event, id);
                   return Result<std::string>(std::string());
                 }},
            {.name = "hooks.recheck",
             .sync =
                 [recheck, weak](const std::string&) {
                   if (const auto generation = weak.lock()) {
                     recheck(generation->pluginId());
                   }
                   return Result<std::string>(std::string());
                 }},
        });
      }};
}

}  // namespace svc::agents
