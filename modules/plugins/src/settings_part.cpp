#include "settings_part.h"

#include <string>
#include <utility>

namespace svc::plugins {

std::vector<script::HostFunction> settingsFunctions(
    const std::shared_ptr<SavedSettings>& settings) {
  std::vector<script::HostFunction> out;
  out.push_back({.name = "settings.current", .sync = [settings](const std::string&) {
                   return Result<std::string>(settings->current());
                 }});
  out.push_back({.name = "settings.protect", .sync = [settings](const std::string& secrets) {
                   settings->protect(secrets);
                   return Result<std::string>(std::string());
                 }});
  out.push_back({.name = "settings.write",
                 .async = [settings](const std::string& changes, Completion<std::string> done) {
                   settings->write(changes, [done = std::move(done)](Status status) mutable {
                     done(status ? Result<std::string>(std::string()) : std::move(status).error());
                   });
                 }});
  return out;
}

void followSettings(SavedSettings& settings, const std::shared_ptr<Generation>& generation) {
  settings.follow(generation, [weak =
                                   std::weak_ptr<Generation>(generation)](Completion<void> shown) {
    if (const auto target = weak.lock()) {
      target->call("settings.refresh", "",
                   [shown = std::move(shown)](const Result<std::string>&) mutable { shown({}); });
    }
  });
}

}  // namespace svc::plugins
