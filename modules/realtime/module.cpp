#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/base/random.h"
#include "svc/common/limits/http.h"
#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "hub.h"
#include "plugin_changes.h"
#include "realtime_part.h"

namespace {

using namespace svc;

/// So that clients see that it is another server they have come back to.
constexpr std::size_t kInstanceBytes = 16;

class RealtimeModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    if (!server) {
      return server.error();
    }
    if (!reactor) {
      return reactor.error();
    }
    reactor_ = reactor.value();
    main_ = &context.main;
    clock_ = &context.clock;
    hub_ = std::make_shared<realtime::Hub>(*reactor.value(), base::randomHex(kInstanceBytes),
                                           context.version);
    for (const char* pattern : {"/ws", "/api/v1/ws"}) {
      auto route =
          server.value()->webSocket({.pattern = pattern,
                                     .guard = http::Guard::kLocal,
                                     .message_limit = limits::kWsClientMessage,
                                     .backlog_limit = limits::kWsBacklog},
                                    [hub = hub_](const http::Request&) { return hub->accept(); });
      if (!route) {
        return route.error();
      }
      routes_.push_back(std::move(route).value());
    }
    connectPlugins(context.services);
    return context.services.provide<realtime::IRealtimeHub>(*hub_, "realtime");
  }

  void drain(Completion<void> done) override {
    auto held = std::make_shared<Completion<void>>(std::move(done));
    hub_->close([main = main_, held](Status status) {
      auto answer = std::make_shared<Status>(std::move(status));
      main->post([held, answer] { (*held)(std::move(*answer)); });
    });
  }

  void stop() override {
    changes_.reset();
    join_.reset();
    part_.reset();
    routes_.clear();
    if (hub_) {
      // What modules that have stopped before posted there may still tell it something.
      reactor_->post([hub = std::move(hub_)] {});
    }
  }

 private:
  // Without plugins the socket still serves record changes.
  void connectPlugins(ServiceRegistry& services) {
    if (auto* api = services.optional<plugins::IPluginApi>()) {
      part_ = api->addPart(realtime::realtimePart(hub_));
    }
    if (auto* manager = services.optional<plugins::IPluginManager>()) {
      join_.emplace(*main_, *clock_, [hub = hub_](std::string frame) {
        hub->broadcast(std::move(frame));
        hub->changed({.entity = "system", .kinds = {"plugins-changed"}});
      });
      changes_ = manager->onChanged([this](const std::vector<plugins::PluginRecord>& records) {
        join_->offer(realtime::pluginsChangedFrame(records));
      });
    }
  }

  http::IReactor* reactor_ = nullptr;
  IMainExecutor* main_ = nullptr;
  const IClock* clock_ = nullptr;
  std::shared_ptr<realtime::Hub> hub_;
  std::vector<Handle> routes_;
  Handle part_;
  std::optional<realtime::ChangeJoin> join_;
  Handle changes_;
};

constexpr std::array kProvides{realtime::IRealtimeHub::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(http::IReactor::kId),
    Requirement(plugins::IPluginApi::kId, true),
    Requirement(plugins::IPluginManager::kId, true),
};

}  // namespace

SVC_MODULE(RealtimeModule, "realtime", "0.43.0", kProvides, kRequires,
           std::span<const ConfigKey>{});
