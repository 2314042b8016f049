#pragma once

#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "svc/kernel/result.h"
#include "svc/storage/schedule_store.h"

namespace svc::storage {

/// What every schedule store refuses, and in which words.
[[nodiscard]] inline Status checkSchedules(std::string_view plugin_id,
                                           const std::vector<ScheduleSpec>& specs) {
  if (plugin_id.empty()) {
    return Error{errc::kInvalidArgument, "a schedule needs the id of its plugin"};
  }
  std::set<std::string_view> names;
  for (const auto& spec : specs) {
    if (spec.name.empty()) {
      return Error{errc::kInvalidArgument, "a schedule needs a name"};
    }
    if (!names.insert(spec.name).second) {
      return Error{
          errc::kInvalidArgument,
          fmt::format(R"(plugin "{}" has two schedules named "{}")", plugin_id, spec.name)};
    }
  }
  return {};
}

}  // namespace svc::storage
