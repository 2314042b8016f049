#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "async.h"
#include "plugin_manager.h"

namespace svc::plugins {

Error PluginManager::heldBack(const std::string& plugin_id) {
  auto details = common::Json::object();
  if (!plugin_id.empty()) {
    details.set("pluginId", plugin_id);
  }
  const auto what = plugin_id.empty() ? std::string("no plugin can be installed or loaded")
                                      : fmt::format("plugin \"{}\" cannot be loaded", plugin_id);
  return {errc::kSafeMode,
          fmt::format("safe mode is on: {}; turn it off with `svc plugin safe-mode off`", what),
          details.dump()};
}

void PluginManager::safeMode(Completion<SafeModeState> done) {
  onMain<SafeModeState>(std::move(done), [this](Completion<SafeModeState> answer) {
    answer(SafeModeState{.enabled = with_.safe_mode->on(), .problems = {}});
  });
}

void PluginManager::setSafeMode(bool enabled, Completion<SafeModeState> done) {
  onMain<SafeModeState>(std::move(done), [this, enabled](Completion<SafeModeState> answer) {
    auto reply = shared(std::move(answer));
    enqueue(registry_, reply,
            [self = shared_from_this(), enabled, reply](Completion<void> registered) {
              auto leave = shared(std::move(registered));
              self->with_.safe_mode->set(enabled, [self, enabled, reply, leave](Status stored) {
                if (!stored) {
                  (*reply)(std::move(stored).error());
                  (*leave)({});
                } else {
                  self->applySafeMode(enabled, [reply, leave](Result<SafeModeState> state) {
                    (*reply)(std::move(state));
                    (*leave)({});
                  });
                }
              });
            });
  });
}

void PluginManager::applySafeMode(bool enabled, Completion<SafeModeState> done) {
  if (enabled) {
    holdAll([done = shared(std::move(done))](const Status&) {
      (*done)(SafeModeState{.enabled = true, .problems = {}});
    });
  } else {
    releaseAll(std::move(done));
  }
}

void PluginManager::holdAll(Completion<void> done) {
  Countdown disposed(std::move(done));
  for (const auto& [id, plugin] : plugins_) {
    if (!with_.safe_mode->holds(plugin->row)) {
      continue;
    }
    if (plugin->cancel_load) {
      plugin->cancel_load(SafeMode::kDetail);
    }
    auto share = shared(disposed.share());
    const auto unload = [self = shared_from_this(), held = plugin,
                         share](Completion<void> finished) {
      self->lifecycle_->setStatus(*held, PluginStatus::kDisabled, SafeMode::kDetail);
      self->lifecycle_->unload(held, {},
                               [share, finished = shared(std::move(finished))](const Status&) {
                                 (*finished)({});
                                 (*share)({});
                               });
    };
    if (!plugin->operations.add(unload)) {
      unload({});
    }
  }
  disposed.arm();
}

void PluginManager::releaseAll(Completion<SafeModeState> done) {
  std::vector<PluginPtr> chosen;
  for (const auto& [id, plugin] : plugins_) {
    if (plugin->row.enabled && !plugin->current) {
      chosen.push_back(plugin);
    }
  }
  loadEach(chosen, [chosen, done = shared(std::move(done))](const Status&) {
    SafeModeState state;
    for (const auto& plugin : chosen) {
      if (shownStatus(*plugin) != PluginStatus::kRunning && !plugin->removed) {
        state.problems.push_back(makeRecord(*plugin));
      }
    }
    (*done)(std::move(state));
  });
}

}  // namespace svc::plugins
