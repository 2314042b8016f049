#include "starting.h"

#include <fmt/format.h>

#include "progress.h"

namespace svc::client {
namespace {

using common::Json;

constexpr auto kLook = std::chrono::milliseconds(250);
/// A minute: far more than a server full of plugins takes.
constexpr int kLooks = 240;

bool waitsForStart(const Reply& reply) {
  return !reply.ok() && reply.code() == "plugin_not_running" &&
         reply.json["error"]["details"]["status"].asString() == "starting";
}

}  // namespace

std::vector<std::string> startingPlugins(const Json& envelope) {
  std::vector<std::string> ids;
  for (const auto& record : envelope["plugins"].items()) {
    if (record["status"].asString() == "starting") {
      ids.push_back(record["id"].asString());
    }
  }
  return ids;
}

Result<Reply> callOnceStarted(const Context& context, Api& api, const HttpRequest& request) {
  Progress progress(context.console);
  for (int look = 0;; ++look) {
    auto reply = api.call(request);
    if (!reply || !waitsForStart(reply.value()) || look == kLooks) {
      progress.clear();
      return reply;
    }
    progress.show("waiting for plugin " +
                  reply.value().json["error"]["details"]["pluginId"].asString() + " to start");
    context.sleep(kLook);
  }
}

Result<Reply> awaitStarting(const Context& context, Api& api, const std::function<bool()>& enough) {
  Progress progress(context.console);
  for (int look = 0;; ++look) {
    auto reply = api.get("/plugins");
    const auto starting = reply ? startingPlugins(reply.value().json).size() : 0;
    // Asked after the plugins were read: what runs by now has registered what it offers.
    if ((enough && enough()) || starting == 0 || look == kLooks) {
      progress.clear();
      return reply;
    }
    progress.show(fmt::format("waiting for {} of {} plugins to start", starting,
                              reply.value().json["plugins"].items().size()));
    context.sleep(kLook);
  }
}

}  // namespace svc::client
