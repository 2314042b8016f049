#include "realtime_part.h"

#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "realtime_scripts.h"

namespace svc::realtime {
namespace {

Result<std::string> publish(Hub& hub, const std::string& plugin_id_json,
                            const std::string& argument) {
  const auto line_end = argument.find('\n');
  if (line_end == std::string::npos) {
    return Error{errc::kInternal, "realtime.publish needs two lines"};
  }
  const std::string_view text(argument);
  hub.publish(plugin_id_json, text.substr(0, line_end), text.substr(line_end + 1));
  return std::string();
}

}  // namespace

plugins::ApiPart realtimePart(std::shared_ptr<Hub> hub) {
  return {
      .name = "realtime",
      .script = scripts::kRealtime,
      .functions = [hub = std::move(hub)](const std::weak_ptr<plugins::IGeneration>& generation) {
        const auto held = generation.lock();
        auto plugin_id_json = common::jsonString(held ? held->pluginId() : std::string());
        return script::hostFunctions({{.name = "realtime.publish",
                                       .sync = [hub, plugin_id_json = std::move(plugin_id_json)](
                                                   const std::string& argument) {
                                         return publish(*hub, plugin_id_json, argument);
                                       }}});
      }};
}

}  // namespace svc::realtime
