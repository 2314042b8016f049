#include "settings_service.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"
#include "svc/kernel/async.h"

namespace svc::plugins {

using common::RawJson;

void SettingsService::get(const std::string& plugin_id, Completion<RawJson> done) {
  loaded_->acquire(plugin_id, [done = std::move(done)](Result<GenerationPtr> generation) mutable {
    if (!generation) {
      done(std::move(generation).error());
      return;
    }
    const auto view = generation.value()->registration("settings");
    done(RawJson(view.isObject() ? view.dump() : R"({"schema":{},"values":{}})"));
  });
}

void SettingsService::save(const std::string& plugin_id, const common::Json& values,
                           Completion<RawJson> done) {
  main_.post([&main = main_, loaded = loaded_, plugin_id, text = values.dump(),
              done = std::move(done)]() mutable {
    Error late{errc::kTimeout,
               fmt::format("plugin \"{}\" did not take the settings within {} s (limit rpcTimeout)",
                           plugin_id, limits::kRpcTimeout.count() / 1000)};
    Completion<std::string> saved =
        [answer = limited(main, limits::kRpcTimeout, std::move(late), std::move(done))](
            Result<std::string> view) mutable {
          if (view) {
            answer(RawJson(std::move(view).value()));
          } else {
            answer(std::move(view).error());
          }
        };
    loaded->acquire(plugin_id, [text, saved = deliverOn(main, std::move(saved))](
                                   Result<GenerationPtr> generation) mutable {
      if (generation) {
        generation.value()->invoke("settings", {"settings.save", text, "", {}}, std::move(saved));
      } else {
        saved(std::move(generation).error());
      }
    });
  });
}

}  // namespace svc::plugins
