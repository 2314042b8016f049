#include "agent_tools.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/plugins.h"

#include "tool_session.h"

namespace svc::agents {

std::vector<ToolTable::Entry> AgentTools::refresh() {
  auto entries = table_.refresh();
  Offers offers;
  for (const auto& entry : entries) {
    offers.emplace(entry.tool.name, Offer{entry.tool.plugin_id, entry.tool.presentation});
  }
  const std::scoped_lock lock(mutex_);
  offers_ = std::move(offers);
  return entries;
}

std::string AgentTools::ownerOf(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = offers_.find(name);
  return found == offers_.end() ? std::string() : found->second.plugin_id;
}

common::Json AgentTools::presentationOf(const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = offers_.find(name);
  return found == offers_.end() ? common::Json() : found->second.presentation;
}

std::vector<AgentTool> AgentTools::list() {
  std::vector<AgentTool> tools;
  for (auto& entry : refresh()) {
    tools.push_back(std::move(entry.tool));
  }
  return tools;
}

std::vector<KnownTool> AgentTools::known() {
  static_cast<void>(refresh());
  return table_.known();
}

void AgentTools::call(std::string name, common::RawJson arguments, ToolContext context,
                      std::stop_token stop, Completion<ToolResult> done) {
  ToolCalls::Call call{.plugin_id = ownerOf(name),
                       .name = std::move(name),
                       .arguments = std::move(arguments),
                       .context = std::move(context),
                       .overrides = {},
                       .stop = std::move(stop),
                       .done = std::move(done)};
  if (!call.plugin_id.empty()) {
    calls_->run(std::move(call));
  } else if (main_.isCurrent()) {
    findAndRun(std::move(call));
  } else {
    // Registered since the inventory changed last, or not there.
    main_.post(
        [weak = weak_from_this(), held = std::make_shared<ToolCalls::Call>(std::move(call))] {
          if (const auto self = weak.lock()) {
            self->findAndRun(std::move(*held));
          }
        });
  }
}

void AgentTools::findAndRun(ToolCalls::Call call) {
  static_cast<void>(refresh());
  call.plugin_id = ownerOf(call.name);
  if (!call.plugin_id.empty()) {
    calls_->run(std::move(call));
    return;
  }
  // It may be a tool of a plugin that is being loaded.
  loaded_.settled(main_, limits::kPluginsStart,
                  [weak = weak_from_this(), call = std::move(call)](const Status&) mutable {
                    const auto self = weak.lock();
                    if (!self) {
                      return;
                    }
                    static_cast<void>(self->refresh());
                    call.plugin_id = self->ownerOf(call.name);
                    if (call.plugin_id.empty()) {
                      call.done(textResult(fmt::format("Unknown tool {}", call.name), true));
                      return;
                    }
                    self->calls_->run(std::move(call));
                  });
}

void AgentTools::callOf(std::string plugin_id, std::string name, common::RawJson arguments,
                        ToolContext context, std::stop_token stop, Completion<ToolResult> done) {
  calls_->run({.plugin_id = std::move(plugin_id),
               .name = std::move(name),
               .arguments = std::move(arguments),
               .context = std::move(context),
               .overrides = {},
               .stop = std::move(stop),
               .done = std::move(done)});
}

void AgentTools::open(SessionRequest request, Completion<ToolSessionPtr> done) {
  loaded_.settled(main_, limits::kPluginsStart,
                  [weak = weak_from_this(), request = std::move(request),
                   done = std::move(done)](const Status&) mutable {
                    if (const auto self = weak.lock()) {
                      self->openNow(std::move(request), std::move(done));
                    }
                  });
}

void AgentTools::openNow(SessionRequest request, Completion<ToolSessionPtr> done) {
  auto shared = std::make_shared<SessionRequest>(std::move(request));
  Completion<std::vector<AgentContribution>> opened =
      [weak = weak_from_this(), calls = calls_, shared,
       answer = std::make_shared<Completion<ToolSessionPtr>>(std::move(done))](
          Result<std::vector<AgentContribution>> contributions) {
        if (!contributions) {
          (*answer)(std::move(contributions).error());
          return;
        }
        (*answer)(ToolSessionPtr(std::make_shared<ToolSession>(
            calls,
            [weak](AgentContext context, Completion<std::vector<AgentContribution>> chosen) {
              if (const auto self = weak.lock()) {
                self->askAgain(std::move(context), std::move(chosen));
              }
            },
            std::move(*shared), std::move(contributions).value())));
      };
  collect(shared->context, Asked::kEverything, std::move(opened));
}

void AgentTools::collect(AgentContext context, Asked asked,
                         Completion<std::vector<AgentContribution>> done) {
  acquireAll(loaded_, [weak = weak_from_this(), context = std::move(context), asked,
                       held = std::make_shared<Completion<std::vector<AgentContribution>>>(
                           std::move(done))](std::vector<plugins::GenerationPtr> generations) {
    if (const auto self = weak.lock()) {
      collectContributions(self->main_, std::move(generations), {self->refresh(), self->skills_},
                           context, asked, std::move(*held));
    }
  });
}

void AgentTools::askAgain(AgentContext context, Completion<std::vector<AgentContribution>> done) {
  main_.post([weak = weak_from_this(), context = std::move(context),
              held = std::make_shared<Completion<std::vector<AgentContribution>>>(
                  std::move(done))]() mutable {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    self->loaded_.settled(self->main_, limits::kPluginsStart,
                          [weak, context = std::move(context), held](const Status&) {
                            if (const auto at = weak.lock()) {
                              at->collect(context, Asked::kConfigure, std::move(*held));
                            }
                          });
  });
}

Handle AgentTools::onChanged(std::function<void()> listener) {
  const auto key = ++last_listener_;
  listeners_->emplace(key, std::move(listener));
  return Handle([listeners = listeners_, key] { listeners->erase(key); });
}

void AgentTools::tellListeners() {
  const auto listeners = *listeners_;
  for (const auto& [key, listener] : listeners) {
    listener();
  }
}

void AgentTools::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  table_.recordsChanged(records);
  skills_.clear();
  std::set<std::string> installed;
  for (const auto& record : records) {
    installed.insert(record.id);
    for (const auto& capability : record.capabilities) {
      if (capability.kind == "skill") {
        skills_[record.id].insert(capability.id);
      }
    }
  }
  calls_->meters().keepOnly(installed);
  announce();
}

void AgentTools::registrationChanged() {
  // A load registers many, one after the other.
  if (announcing_.exchange(true)) {
    return;
  }
  main_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->announcing_ = false;
      self->announce();
    }
  });
}

void AgentTools::announce() {
  Offered offered;
  for (const auto& entry : refresh()) {
    offered.emplace_back(entry.generation->loadId(), entry.tool.name);
  }
  if (std::exchange(offered_, offered) != offered) {
    tellListeners();
  }
}

}  // namespace svc::agents
