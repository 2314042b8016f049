#include "stabilisation.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

namespace svc::updates {

using plugins::PluginRecord;
using plugins::PluginStatus;

Error changedMeanwhile(const std::string& plugin_id, std::string_view doing,
                       std::string_view what) {
  return {errc::kConflict, fmt::format("plugin \"{}\" was changed while it was being {}: {}",
                                       plugin_id, doing, what)};
}

Stabilisation::Stabilisation(Threads threads, plugins::IPluginManager& manager,
                             storage::PluginRow target, bool needed_configuration)
    : threads_(threads),
      manager_(manager),
      target_(std::move(target)),
      needed_configuration_(needed_configuration) {}

void Stabilisation::watch(Completion<std::string> done) {
  done_ = std::move(done);
  const auto weak = weak_from_this();
  listening_ = manager_.onChanged([weak](const std::vector<PluginRecord>& records) {
    if (const auto self = weak.lock()) {
      self->examine(records);
    }
  });
  manager_.list([weak](const Result<std::vector<PluginRecord>>& records) {
    if (const auto self = weak.lock(); self && records) {
      self->examine(records.value());
    }
  });
}

void Stabilisation::examine(const std::vector<PluginRecord>& records) {
  if (!done_.pending()) {
    return;
  }
  const auto record = std::ranges::find(records, target_.id, &PluginRecord::id);
  if (record == records.end()) {
    end(changedMeanwhile(target_.id, "updated", "it was removed"));
    return;
  }
  if (record->enabled != target_.enabled || record->root_dir != target_.root_dir) {
    end(changedMeanwhile(target_.id, "updated",
                         fmt::format("{} stays as it is now", record->version)));
    return;
  }
  if (record->status == PluginStatus::kStarting) {
    return;  // a load is under way; the window counts from its end
  }
  if (record->status == PluginStatus::kDisabled && !record->enabled) {
    end(std::string());  // nothing of it runs that could fail
    return;
  }
  if (auto against = verdict(*record); !against.empty()) {
    end(std::move(against));
  } else if (record->status == PluginStatus::kDisabled) {
    askWhyHeld();
  } else {
    openWindow();
  }
}

void Stabilisation::askWhyHeld() {
  manager_.safeMode([weak = weak_from_this()](const Result<plugins::SafeModeState>& safe_mode) {
    const auto self = weak.lock();
    if (!self || !self->done_.pending()) {
      return;
    }
    if (safe_mode && safe_mode.value().enabled) {
      const auto& [id, version] = std::tie(self->target_.id, self->target_.version);
      self->end(Error{errc::kSafeMode,
                      fmt::format("safe mode was turned on before plugin \"{}\" had shown that {} "
                                  "runs; {} stays, and is watched again when safe mode is off",
                                  id, version, version)});
    } else {
      self->openWindow();
    }
  });
}

void Stabilisation::openWindow() {
  if (!window_) {
    window_ = threads_.main.after(limits::kStabilise, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->end(std::string());
      }
    });
  }
}

std::string Stabilisation::verdict(const PluginRecord& record) const {
  const auto because = [&](std::string_view what) {
    return record.status_detail.empty() ? fmt::format("{} {}", target_.version, what)
                                        : record.status_detail;
  };
  switch (record.status) {
    case PluginStatus::kError:
    case PluginStatus::kIncompatible:
    case PluginStatus::kMissing:
    case PluginStatus::kDegraded:
      return because(fmt::format("has the status {}", statusName(record.status)));
    case PluginStatus::kNeedsConfiguration:
      return needed_configuration_ ? std::string() : because("needs configuration");
    default:
      break;
  }
  for (const auto& service : record.services) {
    if (service.state == plugins::ServiceState::kBackoff || service.restarts > 0) {
      return fmt::format("service \"{}\" failed: {}", service.name,
                         service.last_error ? service.last_error->message : "it was restarted");
    }
  }
  return {};
}

void Stabilisation::end(Result<std::string> answer) {
  listening_.reset();
  window_.reset();
  // On its own turn: the listener that saw the change is still running.
  threads_.main.post(
      [done = std::move(done_), answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

}  // namespace svc::updates
