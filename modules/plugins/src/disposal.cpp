#include "disposal.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/common/limits/http.h"
#include "svc/common/limits/plugins.h"
#include "svc/kernel/async.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;

struct PhaseLimit {
  std::chrono::milliseconds time;
  std::string_view name;
};

constexpr std::array<PhaseLimit, kDisposePhaseCount> kPhaseLimits{{
    {limits::kWsShutdown, "wsShutdown"},  // close WebSockets
    // The step of host workers ends by itself after limit dispose-wait.
    {limits::kDisposeWait + 1s, ""},          // dispose host worker
    {1s, ""},                                 // abort tool calls
    {1s, ""},                                 // interrupt interactions
    {limits::kServiceStop, "serviceStop"},    // stop services
    {limits::kDisposeTotal, "disposeTotal"},  // hooks: each has its own limit, the total bounds all
    {limits::kDrain, "drain"},                // drain calls
    {limits::kServiceStop, "serviceStop"},    // close databases
    {limits::kServiceStop, "serviceStop"},    // invalidate context
}};

/// An environment that has ended has nothing left to call.
Completion<std::string> ignoringEnded(Completion<void> done) {
  return [answer = std::move(done)](Result<std::string> result) mutable {
    if (result || result.error().code == errc::kPluginNotRunning) {
      answer({});
    } else {
      answer(std::move(result).error());
    }
  };
}

DisposeAction hooksAction(const std::shared_ptr<Generation>& generation,
                          std::chrono::milliseconds hook_limit) {
  return {"onDispose hooks", [generation, hook_limit](Completion<void> done) {
            const auto meta = fmt::format(R"({{"hookMs":{}}})", hook_limit.count());
            generation->call("plugin.runHooks", meta, ignoringEnded(std::move(done)));
          }};
}

DisposeAction drainAction(IExecutor& main, const std::shared_ptr<Generation>& generation,
                          std::chrono::milliseconds log_after) {
  return {"running calls", [&main, generation, log_after](Completion<void> done) {
            auto notice = std::make_shared<Handle>(main.after(log_after, [generation] {
              generation->log("warn", fmt::format("dispose still waits for {} running calls",
                                                  generation->inFlight()));
            }));
            auto answer = deliverOn(
                main,
                Completion<void>([notice, answer = std::move(done)](const Status& status) mutable {
                  notice->reset();
                  answer(status);
                }));
            generation->whenIdle(std::move(answer));
          }};
}

DisposeAction invalidateAction(const std::shared_ptr<Generation>& generation) {
  return {"invalidation of the svc object", [generation](Completion<void> done) {
            generation->call("plugin.invalidate", "", ignoringEnded(std::move(done)));
          }};
}

void addServices(DisposePlan::Phase& phase, const std::shared_ptr<ServiceSupervisor>& services) {
  services->close();
  for (const auto& name : services->names()) {
    phase.actions.push_back(
        {fmt::format("service \"{}\"", name),
         [services, name](Completion<void> done) { services->stop(name, std::move(done)); }});
  }
}

DisposePlan makePlan(IExecutor& main, const PluginApi& api,
                     const std::shared_ptr<Generation>& generation, const DisposeLimits& limits) {
  DisposePlan plan;
  plan.total = limits.total;
  for (std::size_t index = 0; index < kDisposePhaseCount; ++index) {
    plan.phases.at(index).limit = kPhaseLimits.at(index).time;
    plan.phases.at(index).limit_name = kPhaseLimits.at(index).name;
  }
  plan.at(DisposePhase::kDrainInvocations).limit = limits.drain;
  plan.at(DisposePhase::kRunHooks).actions.push_back(hooksAction(generation, limits.hook));
  plan.at(DisposePhase::kDrainInvocations)
      .actions.push_back(drainAction(main, generation, limits.drain_log));
  plan.at(DisposePhase::kInvalidateContext).actions.push_back(invalidateAction(generation));
  for (std::size_t index = 0; index < kDisposePhaseCount; ++index) {
    const auto phase = static_cast<DisposePhase>(index);
    for (const auto& step : api.disposeSteps(phase)) {
      plan.at(phase).actions.push_back(
          {std::string(phaseName(phase)),
           [step, generation](Completion<void> done) { (*step)(generation, std::move(done)); }});
    }
  }
  return plan;
}

}  // namespace

void disposeGeneration(IExecutor& main, const PluginApi& api,
                       const std::shared_ptr<Generation>& generation,
                       const std::shared_ptr<ServiceSupervisor>& services,
                       const DisposeLimits& limits, DisposeAnswers answers) {
  if (limits.abort_calls) {
    generation->abortCalls();
  }
  auto report = [generation, overran = std::move(answers.overran)](
                    DisposePhase phase, const std::string& message, bool late) {
    generation->log("warn", fmt::format("dispose, {}: {}", phaseName(phase), message));
    if (late && overran) {
      overran(phase, message);
    }
  };
  auto plan = makePlan(main, api, generation, limits);
  if (services) {
    addServices(plan.at(DisposePhase::kStopServices), services);
  }
  // Hooks run when the services are over, however that ended.
  auto& hooks = plan.at(DisposePhase::kRunHooks).actions;
  hooks.insert(hooks.begin(),
               {"end of the services", [over = std::make_shared<Completion<void>>(std::move(
                                            answers.services_over))](Completion<void> done) {
                  (*over)({});
                  done({});
                }});
  auto sequence = std::make_shared<DisposeSequence>(main, std::move(plan), std::move(report));
  sequence->run([&main, generation, limits, phases_done = std::move(answers.phases_done),
                 gone = std::move(answers.gone)](const Status&) mutable {
    generation->log("info", "disposed");
    auto ended = limited(main, limits.gone, {errc::kTimeout, "the environment is still ending"},
                         std::move(gone));
    generation->terminate("disposed", deliverOn(main, std::move(ended)));
    phases_done({});
  });
}

}  // namespace svc::plugins
