#pragma once

#include <string>

#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

/// Schedules of the loaded plugins. Any thread may call; completions fire on the main thread.
class ISchedules {
 public:
  static constexpr ServiceId kId{"svc.plugins.Schedules", 1};
  virtual ~ISchedules() = default;
  /// Runs a schedule now, beside its timetable. Completes when the run has ended and is recorded: with the schedule as
  /// it is then, or with the run's failure (`handler_error`, `timeout`). `conflict` while it is running, `not_found`
  /// for a name the plugin has not registered, and the errors of ILoadedPlugins::acquire().
  virtual void run(std::string plugin_id, std::string name, Completion<ScheduleInfo> done) = 0;
  /// IANA name of the zone that schedules are evaluated in.
  [[nodiscard]] virtual std::string timezone() const = 0;
};

}  // namespace svc::plugins
