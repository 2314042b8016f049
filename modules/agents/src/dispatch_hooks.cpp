#include "dispatch_hooks.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"
#include "svc/common/limits/plugins.h"

#include "bounded_invoke.h"

namespace svc::agents {
namespace {

using common::Json;
using Kind = DispatchDecision::Kind;

constexpr std::string_view kHook = "message.dispatch";

bool listens(const plugins::IGeneration& generation) {
  const auto registration = generation.registration("hooks");
  const auto& hooks = registration.items();
  return std::any_of(hooks.begin(), hooks.end(),
                     [](const Json& hook) { return hook.asString() == kHook; });
}

DispatchDecision rejected(const std::string& plugin_id, const std::string& why) {
  return {.kind = Kind::kReject,
          .plugin_id = plugin_id,
          .text = fmt::format(R"(the hook "{}" of plugin "{}" failed: {})", kHook, plugin_id, why)};
}

DispatchDecision readDecision(const std::string& plugin_id, const std::string& answer) {
  const auto parsed = Json::parse(answer);
  if (!parsed) {
    return rejected(plugin_id, "its decision is not JSON");
  }
  const auto& decision = parsed.value();
  const auto& kind = decision["kind"].asString();
  if (kind == "reject") {
    return {.kind = Kind::kReject, .plugin_id = plugin_id, .text = decision["message"].asString()};
  }
  if (kind == "wait") {
    DispatchDecision wait{
        .kind = Kind::kWait, .plugin_id = plugin_id, .text = decision["reason"].asString()};
    if (decision["sendAt"].isNumber()) {
      wait.send_at = static_cast<std::int64_t>(decision["sendAt"].asNumber());
    }
    return wait;
  }
  return {};
}

/// One pass over the plugins. Main thread.
class Pass : public std::enable_shared_from_this<Pass> {
 public:
  Pass(IMainExecutor& main, plugins::ILoadedPlugins& loaded,
       std::vector<plugins::GenerationPtr> generations, common::RawJson context,
       Completion<DispatchDecision> done)
      : main_(main),
        loaded_(loaded),
        generations_(std::move(generations)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void next() {
    if (index_ == generations_.size()) {
      done_(std::move(first_wait_));
      return;
    }
    ask(generations_[index_++]);
  }

 private:
  void ask(const plugins::GenerationPtr& generation) {
    Error late{errc::kTimeout, fmt::format("it did not decide within {} ms (limit hookDecision)",
                                           limits::kHookDecision.count())};
    invokeBounded(main_, *generation, fmt::format("hook:{}", kHook),
                  {.function = "hooks.decide", .meta = std::string(kHook), .body = context_.text()},
                  limits::kHookDecision, std::move(late),
                  [self = shared_from_this(), generation](const Result<std::string>& answer) {
                    if (answer) {
                      self->take(readDecision(generation->pluginId(), answer.value()));
                    } else {
                      self->failed(*generation, answer.error());
                    }
                  });
  }

  /// A load that is being replaced cannot be asked any more: the next one is.
  void failed(const plugins::IGeneration& asked, const Error& why) {
    loaded_.acquire(asked.pluginId(),
                    [self = shared_from_this(), id = asked.pluginId(), load = asked.loadId(),
                     why](const Result<plugins::GenerationPtr>& now) {
                      if (!now || now.value()->loadId() == load) {
                        self->take(rejected(id, why.message));
                      } else if (!listens(*now.value())) {
                        self->next();
                      } else {
                        self->ask(now.value());
                      }
                    });
  }

  void take(DispatchDecision decision) {
    if (decision.kind == Kind::kReject) {
      done_(std::move(decision));
      return;
    }
    if (decision.kind == Kind::kWait && first_wait_.kind == Kind::kProceed) {
      first_wait_ = std::move(decision);
    }
    next();
  }

  IMainExecutor& main_;
  plugins::ILoadedPlugins& loaded_;
  std::vector<plugins::GenerationPtr> generations_;
  common::RawJson context_;
  Completion<DispatchDecision> done_;
  DispatchDecision first_wait_;
  std::size_t index_ = 0;
};

}  // namespace

void DispatchHooks::decide(common::RawJson context, Completion<DispatchDecision> done) {
  // A plugin that is being loaded at the start of the server has its say too.
  loaded_.settled(main_, limits::kPluginsStart,
                  [this, alive = std::weak_ptr(listeners_), context = std::move(context),
                   done = std::move(done)](const Status&) mutable {
                    if (alive.expired()) {
                      return;
                    }
                    auto generations = loaded_.all();
                    std::erase_if(generations, [](const plugins::GenerationPtr& generation) {
                      return !listens(*generation);
                    });
                    std::make_shared<Pass>(main_, loaded_, std::move(generations),
                                           std::move(context), std::move(done))
                        ->next();
                  });
}

Handle DispatchHooks::onRecheck(std::function<void(const std::string& plugin_id)> listener) {
  auto entry = std::make_shared<const Listener>(std::move(listener));
  listeners_->push_back(entry);
  return Handle([listeners = listeners_, entry] { std::erase(*listeners, entry); });
}

void DispatchHooks::recheck(const std::string& plugin_id) {
  const auto listeners = *listeners_;
  for (const auto& listener : listeners) {
    (*listener)(plugin_id);
  }
}

}  // namespace svc::agents
