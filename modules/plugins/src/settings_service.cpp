#include "settings_service.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "async.h"

namespace svc::plugins {

using common::RawJson;

void SettingsService::get(const std::string& plugin_id, Completion<RawJson> done) {
  loaded_->acquire(plugin_id, [done = shared(std::move(done))](Result<GenerationPtr> generation) {
    if (!generation) {
      (*done)(std::move(generation).error());
      return;
    }
    const auto view = generation.value()->registration("settings");
    (*done)(RawJson(view.isObject() ? view.dump() : R"({"schema":{},"values":{}})"));
  });
}

void SettingsService::save(const std::string& plugin_id, const common::Json& values,
                           Completion<RawJson> done) {
  main_.post([&main = main_, loaded = loaded_, plugin_id, text = values.dump(),
              done = shared(std::move(done))] {
    Error late{errc::kTimeout,
               fmt::format("plugin \"{}\" did not take the settings within {} s (limit rpcTimeout)",
                           plugin_id, limits::kRpcTimeout.count() / 1000)};
    auto answer = shared(limited(main, limits::kRpcTimeout, std::move(late), std::move(*done)));
    Completion<std::string> saved = [answer](Result<std::string> view) {
      if (view) {
        (*answer)(RawJson(std::move(view).value()));
      } else {
        (*answer)(std::move(view).error());
      }
    };
    loaded->acquire(plugin_id, [text, saved = shared(deliverOn(main, std::move(saved)))](
                                   Result<GenerationPtr> generation) {
      if (generation) {
        generation.value()->invoke("settings", {"settings.save", text, "", {}}, std::move(*saved));
      } else {
        (*saved)(std::move(generation).error());
      }
    });
  });
}

}  // namespace svc::plugins
