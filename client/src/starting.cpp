#include "starting.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "looks.h"
#include "progress.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// A minute: far more than a server full of plugins takes.
constexpr int kLooks = 240;
/// Five seconds: its daemon takes less than one, or the server says what keeps it.
constexpr int kMachineLooks = 20;

/// A plugin does not wait for itself: its child processes may be what its factory waits for.
bool waitsForStart(const Context& context, const Reply& reply) {
  const auto& details = reply.json["error"]["details"];
  return !reply.ok() && reply.code() == "plugin_not_running" &&
         details["status"].asString() == "starting" &&
         details["pluginId"].asString() != callingPlugin(context);
}

bool isOwnMachineComing(const Json& hosts) {
  // Whatever keeps its daemon from running is said with the setting that is behind it.
  return std::any_of(hosts.items().begin(), hosts.items().end(), [](const Json& host) {
    return host["role"].asString() == "server" && host["status"].asString() == "disconnected" &&
           host["stateMessage"].asString().find("hosts.local") == std::string::npos;
  });
}

}  // namespace

std::string callingPlugin(const Context& context) {
  return context.environment.variable("SVC_PLUGIN_ID").value_or("");
}

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
    if (!reply || !waitsForStart(context, reply.value()) || look == kLooks) {
      progress.clear();
      return reply;
    }
    progress.show("waiting for plugin " +
                  reply.value().json["error"]["details"]["pluginId"].asString() + " to start");
    context.sleep(pauseAfterLook(look));
  }
}

Result<Reply> awaitStarting(const Context& context, Api& api, const std::function<bool()>& enough,
                            const std::string& wanted) {
  Progress progress(context.console);
  for (int look = 0;; ++look) {
    auto reply = api.get("/plugins");
    auto ids = reply ? startingPlugins(reply.value().json) : std::vector<std::string>();
    std::erase(ids, callingPlugin(context));
    const auto starting = ids.size();
    // Asked after the plugins were read: what runs by now has registered what it offers.
    if ((enough && enough()) || starting == 0 || look == kLooks) {
      progress.clear();
      return reply;
    }
    if (look == 0 && std::find(ids.begin(), ids.end(), wanted) != ids.end()) {
      std::ignore = api.get("/plugins/" + percentEncode(wanted));
    }
    progress.show(fmt::format("waiting for {} of {} plugins to start", starting,
                              reply.value().json["plugins"].items().size()));
    context.sleep(pauseAfterLook(look));
  }
}

Json awaitOwnMachine(const Context& context, Api& api) {
  Progress progress(context.console);
  Json hosts;
  for (int look = 0; look < kMachineLooks; ++look) {
    const auto reply = api.get("/hosts");
    hosts = reply ? reply.value().json["hosts"] : Json();
    if (!isOwnMachineComing(hosts)) {
      break;
    }
    progress.show("waiting for svc-hostd of this machine to connect");
    context.sleep(pauseAfterLook(look));
  }
  progress.clear();
  return hosts;
}

}  // namespace svc::client
